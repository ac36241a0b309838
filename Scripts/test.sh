#!/usr/bin/env bash
# Builds and runs every test, and lists what failed at the end. The log stays in .build/test.log, from which .ci/run repeats the
# summary; that of some tests in .build/test-some.log. The starts of tests are in the log only.
# usage: Scripts/test.sh [options of swift test]
#
# No time limit decides whether a test passes: the machine may be busy with other work. A run is ended only if it has printed
# nothing for DISCFG_TEST_PATIENCE seconds (900), which is a hang.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

log=.build/test.log
[[ $# == 0 ]] || log=.build/test-some.log
rm -f "$log" # so that a build that fails cannot leave the summary of an earlier run
swift build --build-tests

# Every test is written with Swift Testing; without XCTest the summary is one line, the last.
export DISCFG_TEST_VENV="$PWD/.venv"
export DISCFG_AWS_VENV="$PWD/.venv-aws"
export DISCFG_ETCD_VENV="$PWD/.venv-etcd"
export DISCFG_LAMBDA_VENV="$PWD/.venv-lambda"

cores=$(getconf _NPROCESSORS_ONLN)
# run WIDTH OPTION...: at most WIDTH tests at a time.
run() {
    local width=$1
    shift
    Scripts/guard-progress.py "${DISCFG_TEST_PATIENCE:-900}" \
        swift test --skip-build --disable-xctest --experimental-maximum-parallelization-width "$width" "$@" 2>&1 |
        tee -a "$log" | grep -a --line-buffered -v '^◇' || status=$?
}
status=0
if [[ $# -gt 0 ]]; then
    run $((2 * cores)) "$@"
else
    # Servers and clients of etcd, soaks and inputs of megabytes keep a core busy each: they have a step of their own, so that tests of
    # milliseconds do not queue behind them. So have simulated schedules, which keep the threads that all tests share.
    busy='DiscfgEtcd|EtcdV2|Etcd(Client|Comparison)Tests|Soak|Growth'
    simulated='DiscfgSimulation|DynamoDBPatterns.*(Simulation|Fault|Sweep)'
    run $((2 * cores)) --skip "$busy|$simulated"
    run "$cores" --filter "$busy" --skip "$simulated"
    run "$cores" --filter "$simulated"
fi

if [[ $status != 0 ]]; then
    printf '\nFailed:\n'
    # With the lines that explain an issue: they follow it, and begin with an arrow.
    grep -a -A 3 '^✘ Test .*recorded an issue' "$log" | grep -a -E '^(✘|↳)' || tail -n 20 "$log"
fi
exit "$status"
