#!/usr/bin/env bash
# Measures discfg-lambda beside a function in Python with boto3, in one run on this machine, and prints the tables of
# docs/benchmarks.md. Benchmarks/README.md says what is measured. Everything listens on 127.0.0.1, and is stopped at the
# end.
# usage: Benchmarks/lambda.sh [BOOTSTRAP [ZIP]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck source=Benchmarks/servers.sh
source Benchmarks/servers.sh

bootstrap=${1:-.build/lambda/bootstrap}
zip=${2:-.build/lambda/discfg-lambda.zip}
starts=${STARTS:-10}
invocations=${INVOCATIONS:-500}
port=${MINISTACK_PORT:-14566}
aws=${DISCFG_AWS_VENV:-$PWD/.venv-aws}
lambda=${DISCFG_LAMBDA_VENV:-$PWD/.venv-lambda}

start_ministack() {
    require_free "$port"
    # Without BIND_HOST it listens on every address.
    BIND_HOST=127.0.0.1 GATEWAY_PORT=$port PERSIST_STATE=0 S3_PERSIST=0 DOCKER_HOST='' \
        "$aws/bin/ministack" >"$work/ministack.log" 2>&1 &
    server=$!
    wait_for "http://127.0.0.1:$port/_ministack/health"
}

# cli ARGUMENT...: the command, on the table that both functions read.
cli() {
    AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test \
        "$discfg" --store dynamodb:bench "$@" >/dev/null
}

[[ -x $aws/bin/ministack ]] || fail "there is no $aws/bin/ministack; run Scripts/install-dependencies.sh bench-lambda"
[[ -x $lambda/bin/python ]] || fail "there is no $lambda/bin/python; run Scripts/install-dependencies.sh bench-lambda"
[[ -x $bootstrap ]] || fail "there is no $bootstrap; run make lambda"
begin
start_ministack
cli store init
cli set /greeting hello

options=(--endpoint "http://127.0.0.1:$port" --table bench --work "$work" --bootstrap "$bootstrap")
if [[ -f $zip ]]; then options+=(--zip "$zip"); fi
{
    processor=$(awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)
    echo "- $(date -u +%Y-%m-%d), $(nproc) cores of $processor, Linux $(uname -r)"
    echo "- $("$aws/bin/python" -c 'from importlib.metadata import version; print("ministack", version("ministack"))')"
    "$lambda/bin/python" Benchmarks/lambda.py "${options[@]}" --starts "$starts" --invocations "$invocations"
} | tee "$work/report.md"
