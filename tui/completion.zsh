#compdef calab
# SPDX-License-Identifier: MIT
# Completion of calab's command line for zsh: the program itself knows what can stand where. It is
# the one in an absolute folder of PATH that is asked, never what stands on the command line.
local folder program
local -a found open whole

for folder in $path; do
    if [[ $folder == /* && -f $folder/calab && -x $folder/calab ]]; then
        program=$folder/calab
        break
    fi
done
[[ -n $program ]] || { _files; return }

found=("${(@f)$("$program" --complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
open=(${(M)found:#*[=:]})
whole=(${found:#*[=:]})
if (( $#open + $#whole )); then
    (( $#open )) && compadd -S '' -a open
    (( $#whole )) && compadd -a whole
else
    _files
fi
