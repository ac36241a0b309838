#!/usr/bin/env bash
# Checks rules that neither the compiler nor the formatter knows: the size of files, words that do not
# belong in the sources, names that say nothing, and paths of somebody's machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

limit=600
status=0

# report TITLE FINDINGS: fails when there are findings.
report() {
    [[ -n $2 ]] || return 0
    printf '%s\n%s\n' "$1" "$2" | sed '2,$s/^/    /' >&2
    status=1
}

# Files that are tracked, or would be with `git add .`.
files() {
    git ls-files -z --cached --others --exclude-standard -- "$@"
}

# find_words PATTERN PATHSPEC...: prints `file:line:text` where the extended expression matches.
find_words() {
    local pattern=$1
    shift
    git grep --untracked -n -I -E -e "$pattern" -- "$@" || [[ $? == 1 ]]
}

# Only what people write and read: data, the licence and generated code have the length that they have.
long_files() {
    files '*.swift' '*.sh' '*.py' '*.lua' ':!*/Fixtures/*' ':!*.pb.swift' ':!*.grpc.swift' |
        xargs -0 awk -v limit="$limit" '
            FNR == limit + 1 { print FILENAME }' # once for each file that has a line beyond the limit
}

empty_names() {
    files 'Sources/*' 'Libraries/*/Sources/*' | tr '\0' '\n' | grep -E '(^|/)(Utils?|Helpers?|Misc|New)(/|\.swift$)' || [[ $? == 1 ]]
}

# A home directory, or the place of this checkout, in a tracked file works on one machine only.
machine_paths() {
    find_words '(/home|/Users)/[A-Za-z0-9._-]+/|/root/' . ':!Scripts/check-tree.sh' &&
        { git grep --untracked -n -I -F -e "$PWD/" -- . || [[ $? == 1 ]]; }
}

# Each finding is assigned before it is reported: a search that breaks then stops the script.
found=$(long_files)
report "Longer than $limit lines; which two things live in one file?" "$found"

found=$(find_words 'try!|as!|fatalError\(|@unchecked Sendable|nonisolated\(unsafe\)' 'Sources/*.swift' 'Libraries/*/Sources/*.swift')
report "Can crash or hide a race; throw, or write what is meant:" "$found"

found=$(find_words '\b(TODO|FIXME)\b' 'Sources/*.swift' 'Libraries/*/Sources/*.swift')
report "Left for later; do it now, or open an issue:" "$found"

found=$(empty_names)
report "A name that does not say what is inside:" "$found"

found=$(machine_paths)
report "A path of one machine:" "$found"

found=$(find_words '^(<<<<<<<|>>>>>>>) ' .)
report "A merge that was not finished:" "$found"

exit "$status"
