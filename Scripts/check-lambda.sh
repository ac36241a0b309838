#!/usr/bin/env bash
# Checks that a program starts on Amazon Linux 2023, and that nothing heavy has come into it.
# usage: Scripts/check-lambda.sh PROGRAM
set -euo pipefail

program=$1
status=0
symbols=$(objdump -T "$program")
complain() {
    echo "$program: $*" >&2
    status=1
}

"$(dirname "${BASH_SOURCE[0]}")/check-glibc.sh" "$program" || status=1

# The libraries that the base image of the runtime has.
unknown=$(objdump -p "$program" | awk '$1 == "NEEDED" { print $2 }' |
    grep -vE '^(libc|libm|libstdc\+\+|libgcc_s|libz|libdl|libpthread|librt|ld-linux-x86-64)\.so\.[0-9]+$' || true)
[[ -z $unknown ]] || complain "needs $unknown, which is not on Amazon Linux 2023"

# The whole of Foundation would double what has to be loaded; SQLite and the parser of arguments have nothing to do here.
# The names of modules as they are in symbols.
for symbol in s10Foundation sqlite3_open s14ArgumentParser; do
    if grep -qE "[ \$]$symbol" <<<"$symbols"; then complain "contains $symbol"; fi
done

exit "$status"
