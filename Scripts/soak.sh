#!/usr/bin/env bash
# Runs clients and faults against real servers, and checks the history of their answers: docs/correctness.md.
# usage: Scripts/soak.sh --self-test
#        Scripts/soak.sh --mutants [options of Tests/Soak/mutants.py]
#        Scripts/soak.sh [options of Tests/Soak/main.py]
# DISCFG names the binary; otherwise the debug binary is built. DISCFG_ETCD_VENV and DISCFG_AWS_VENV name the
# Python environments.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

etcd=${DISCFG_ETCD_VENV:-$PWD/.venv-etcd}
aws=${DISCFG_AWS_VENV:-$PWD/.venv-aws}
python=python3
if [[ -x $etcd/bin/python ]]; then
    python=$etcd/bin/python
else
    echo "$etcd has no Python, so no client uses gRPC: make soak installs it, or DISCFG_ETCD_VENV names it." >&2
fi

if [[ ${1:-} == --self-test ]]; then
    exec "$python" -B -m unittest discover --start-directory Tests/Soak/tests
fi

program=main.py
options=()
if [[ ${1:-} == --mutants ]]; then
    shift
    program=mutants.py
    # A folder of its own: otherwise each change of the flag would build everything again.
    options=(--scratch-path .build/mutants)
    export DISCFG_MUTANTS=1
fi

if [[ ${1:-} == --help ]]; then
    exec "$python" -B "Tests/Soak/$program" --help
fi

binary=${DISCFG:-}
if [[ -z $binary ]]; then
    swift build --product discfg "${options[@]}" >&2
    binary=$(swift build --show-bin-path "${options[@]}")/discfg
fi
stand_in=()
[[ ! -x $aws/bin/ministack ]] || stand_in=(--ministack "$aws/bin/ministack")
exec "$python" -B "Tests/Soak/$program" --binary "$binary" "${stand_in[@]}" "$@"
