#!/usr/bin/env bash
# Builds and runs every test. The log stays in .build/test.log, from which .ci/run repeats the summary; that of some tests in
# .build/test-some.log.
# usage: Scripts/test.sh [options of swift test]
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
run() { swift test --skip-build --disable-xctest "$@" 2>&1 | tee -a "$log"; }
if [[ $# -gt 0 ]]; then
    run "$@"
else
    # What concerns etcd comes afterwards: its servers and clients take all cores, and would starve tests that wait for an answer.
    etcd='DiscfgEtcd|EtcdV2|Etcd(Client|Comparison)Tests'
    # What plays through many turns of several tasks has its own step: beside all the others it waits for a minute and longer.
    turns='DiscfgNotificationsTests|LambdaRuntimeTests'
    patterns='DynamoDBPatterns'
    # Thousands of simulated schedules, which leave no core to others.
    simulated='DynamoDBPatterns.*(Simulation|Fault|Sweep)'
    run --skip "$etcd|$turns|$patterns"
    run --filter "$turns"
    run --filter "$patterns" --skip "$simulated"
    run --filter "$simulated"
    run --filter "$etcd"
fi
