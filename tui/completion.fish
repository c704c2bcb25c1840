# SPDX-License-Identifier: MIT
# Completion of calab's command line for fish: the program itself knows what can stand where. It is
# the one in an absolute folder of PATH that is asked, never what stands on the command line.
function __calab_complete
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    for folder in $PATH
        if string match -q '/*' -- $folder; and test -f $folder/calab -a -x $folder/calab
            set -l found ($folder/calab --complete $before[2..-1] "$typed" 2>/dev/null)
            if set -q found[1]
                printf '%s\n' $found
            else
                __fish_complete_path $typed
            end
            return
        end
    end
    __fish_complete_path $typed
end
complete -c calab -f -a '(__calab_complete)'
