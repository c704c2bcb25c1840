# SPDX-License-Identifier: MIT
# Completion of calab's command line for bash: the program itself knows what can stand where. It is
# the one in an absolute folder of PATH that is asked, never what stands on the command line.
_calab() {
    local folders folder program= words word line keep=
    IFS=: read -ra folders <<<"$PATH"
    for folder in "${folders[@]}"; do
        [[ $folder == /* && -f $folder/calab && -x $folder/calab ]] && program=$folder/calab && break
    done
    COMPREPLY=()
    [[ $program ]] || return

    # bash also breaks words at '=' and ':', and replaces only what stands behind the last of them.
    read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:blank:]] ]] && words+=('')
    word=${words[-1]}
    [[ $COMP_WORDBREAKS == *=* && $word == *=* ]] && keep=${word%"${word##*=}"}
    [[ $COMP_WORDBREAKS == *:* && ${word#"$keep"} == *:* ]] && keep=${word%"${word##*:}"}

    while IFS= read -r line; do
        COMPREPLY+=("${line#"$keep"}")
    done < <("$program" --complete "${words[@]:1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace
}
complete -o default -F _calab calab
