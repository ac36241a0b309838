#!/usr/bin/env bash
# Checks that a program starts with glibc 2.34 and the libstdc++ of GCC 11, as on Amazon Linux 2023 and RHEL 9.
# usage: Scripts/check-glibc.sh PROGRAM
set -euo pipefail

program=$1
status=0
symbols=$(objdump -T "$program")

# What it needs of a library of the system, such as GLIBC_2.34, the newest.
newest() {
    grep -oE "\b$1_[0-9.]+" <<<"$symbols" | sort -Vu | tail -1
}

# at_most FOUND LIMIT
at_most() {
    [[ -z $1 || $(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -1) == "$2" ]]
}

for limit in GLIBC_2.34 GLIBCXX_3.4.29; do
    found=$(newest "${limit%_*}" || true)
    if ! at_most "$found" "$limit"; then
        echo "$program: needs $found; Amazon Linux 2023 and RHEL 9 have $limit" >&2
        grep -F "$found" <<<"$symbols" >&2
        status=1
    fi
done

exit "$status"
