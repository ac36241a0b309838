#!/usr/bin/env bash
# Installs what a target of the Makefile needs and this machine lacks; touches nothing when all is there.
# usage: Scripts/install-dependencies.sh build|test|check|lambda|example|bench|bench-dynamodb|bench-lambda
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=()

fail() {
    echo "$0: $*" >&2
    exit 1
}

# need COMMAND PACKAGE: notes the package when the command is not there.
need() {
    command -v "$1" >/dev/null 2>&1 || packages+=("$2")
}

# The compiler is asked, because a header outside its search path is of no use to the build.
need_sqlite() {
    local compiler
    [[ $(uname -s) == Darwin ]] && return # part of the system there
    for compiler in clang cc gcc; do
        if echo '#include <sqlite3.h>' | "$compiler" -E -x c - >/dev/null 2>&1; then return; fi
    done
    packages+=(libsqlite3-dev)
}

# Debian's python3 can lack ensurepip, without which no environment can be made.
need_python() {
    python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3 python3-venv)
}

# The server and etcdctl, which Homebrew has in one package.
need_etcd() {
    if [[ $(uname -s) == Darwin ]]; then
        need etcd etcd
    else
        need etcd etcd-server
        need etcdctl etcd-client
    fi
}

as_root() {
    if [[ $(id -u) == 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        fail "needs root or sudo to install: ${packages[*]}"
    fi
}

install_packages() {
    [[ ${#packages[@]} -gt 0 ]] || return 0
    echo "Installing ${packages[*]}"
    if command -v apt-get >/dev/null 2>&1; then
        local options=(-o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -qq)
        as_root env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" update
        as_root env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install --yes --no-install-recommends \
            "${packages[@]}"
    elif command -v brew >/dev/null 2>&1; then
        brew install "${packages[@]}"
    else
        fail "found neither apt-get nor brew; install by hand: ${packages[*]}"
    fi
}

# make_environment FOLDER LIST PROGRAM: a virtual environment with what the list names, in which the program runs.
# The copy of the list inside the environment tells whether it is still the one that is asked for.
make_environment() {
    local folder=$1 list=$2 program=$3
    if cmp -s "$list" "$folder/requirements.txt" && "$folder/bin/$program" --help >/dev/null 2>&1; then return; fi
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "the tests need Python 3.11 or newer"
    echo "Installing $list into $folder"
    rm -rf "$folder"
    python3 -m venv "$folder"
    # The lists are complete; of aws-sam-cli only a program in it is wanted, and not what it needs besides.
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
        --requirement "$list"
    cp "$list" "$folder/requirements.txt"
}

case "${1:-}" in
build)
    need_sqlite
    need objdump binutils
    install_packages
    ;;
test)
    need_sqlite
    need curl curl
    need fish fish # shells of which the completions are tested
    need zsh zsh
    need_python
    need_etcd
    install_packages
    make_environment .venv Scripts/requirements-test.txt schemathesis
    # One of its own: ministack pins the libraries of AWS.
    make_environment .venv-aws Scripts/requirements-aws.txt ministack
    # One of its own: etcd's clients need an old protobuf.
    make_environment .venv-etcd Scripts/requirements-etcd.txt pip
    # One of its own: it has another botocore than ministack, and what lints and emulates Lambda.
    make_environment .venv-lambda Scripts/requirements-lambda.txt cfn-lint
    ;;
lambda)
    need_sqlite # SwiftPM looks for all that the package knows
    need objdump binutils
    need python3 python3
    install_packages
    ;;
bench-lambda)
    need_sqlite
    need_python
    install_packages
    make_environment .venv-aws Scripts/requirements-aws.txt ministack
    make_environment .venv-lambda Scripts/requirements-lambda.txt cfn-lint
    ;;
check)
    need_sqlite
    need shellcheck shellcheck
    install_packages
    ;;
bench-dynamodb | example)
    need_sqlite
    need_python
    install_packages
    make_environment .venv-aws Scripts/requirements-aws.txt ministack
    ;;
bench)
    need curl curl
    need python3 python3
    need wrk wrk
    need h2load nghttp2-client
    need_etcd
    install_packages
    ;;
*) fail "usage: $0 build|test|check|lambda|example|bench|bench-dynamodb|bench-lambda" ;;
esac
