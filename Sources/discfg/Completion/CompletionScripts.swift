/// The scripts with which shells complete discfg's command lines; each asks `discfg complete`.
enum CompletionScripts {
    static let bash = #"""
        # Completion of discfg for bash. “discfg complete” knows what fits.
        _discfg() {
            local line=${COMP_LINE:0:COMP_POINT} words word found first lead part candidate
            read -ra words <<<"$line"
            [[ $line == *[[:space:]] ]] && words+=("")
            # Assignments may stand before the command.
            while [[ ${#words[@]} -gt 1 && ${words[0]} != "${COMP_WORDS[0]}" ]]; do words=("${words[@]:1}"); done
            word=${words[${#words[@]} - 1]}
            # Bash replaces only what follows the last of these characters.
            part=${word%"${word##*[:=]}"}
            COMPREPLY=()
            found=$("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null) || return
            first=${found%%$'\n'*}
            if [[ $first == files:* ]]; then
                lead=${first#files:}
                compopt -o filenames 2>/dev/null
                while IFS= read -r candidate; do
                    candidate=$lead$candidate
                    COMPREPLY+=("${candidate#"$part"}")
                done < <(compgen -f -- "${word#"$lead"}")
                return
            fi
            while IFS=$'\t' read -r candidate _; do
                [[ -n $candidate ]] || continue
                [[ $candidate == *[/:=] ]] && compopt -o nospace 2>/dev/null
                printf -v candidate %q "${candidate#"$part"}"
                COMPREPLY+=("$candidate")
            done <<<"${found#"$first"}"
        }
        complete -F _discfg discfg

        """#

    static let zsh = #"""
        #compdef discfg
        # Completion of discfg for zsh. “discfg complete” knows what fits.
        _discfg() {
            local -a found names open closed
            found=("${(@f)$(command discfg complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
            if [[ $found[1] == files:* ]]; then
                local lead=${found[1]#files:}
                [[ -n $lead ]] && compset -P "${(b)lead}"
                _files
                return
            fi
            names=("${(@)found[2,-1]%%[[:cntrl:]]*}")
            names=("${(@)names:#}")
            open=("${(@M)names:#*[/:=]}")
            closed=("${(@)names:#*[/:=]}")
            (( $#open )) && compadd -S '' -a open
            (( $#closed )) && compadd -a closed
        }
        if [[ $funcstack[1] == _discfg ]]; then _discfg "$@"; else compdef _discfg discfg; fi

        """#

    static let fish = #"""
        # Completion of discfg for fish. “discfg complete” knows what fits.
        function __discfg_complete
            set -l token (commandline -ct)
            set -l words (commandline -opc)
            set -l found (command discfg complete -- $words[2..-1] "$token" 2>/dev/null)
            or return
            if string match -q 'files:*' -- $found[1]
                set -l lead (string replace 'files:' '' -- $found[1])
                set -l rest (string sub -s (math 1 + (string length -- "$lead")) -- "$token")
                for path in (__fish_complete_path "$rest")
                    echo "$lead$path"
                end
                return
            end
            for word in $found[2..-1]
                echo $word
            end
        end
        complete -c discfg -f -a '(__discfg_complete)'

        """#
}
