#!/usr/bin/env bash
# Builds .build/release/discfg: optimized, stripped, with Swift's libraries (and on Linux SQLite) inside. On Linux it starts with
# glibc 2.34 and newer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

options=(-c release --product discfg)

# A linker takes the shared library where a directory holds both kinds. A directory with a link to the
# archive alone, searched first, makes `-lsqlite3` mean the archive.
link_sqlite_statically() {
    local archive directory="$PWD/.build/static-libraries"
    archive=$(clang -print-file-name=libsqlite3.a 2>/dev/null || cc -print-file-name=libsqlite3.a)
    [[ -f $archive ]] || return 0 # the compiler answers with the bare name when it finds none
    mkdir -p "$directory"
    ln -sf "$archive" "$directory/libsqlite3.a"
    options+=(-Xlinker "-L$directory")
}

if [[ $(uname -s) == Darwin ]]; then
    # Swift's libraries are part of the system there, and its linker has no option to strip.
    swift build "${options[@]}"
    strip .build/release/discfg
else
    link_sqlite_statically
    # shellcheck source=Scripts/glibc-shim.sh
    source Scripts/glibc-shim.sh
    swift build "${options[@]}" --static-swift-stdlib -Xlinker -s "${glibc_shim[@]}"
    Scripts/check-glibc.sh .build/release/discfg
fi

ls -l .build/release/discfg
