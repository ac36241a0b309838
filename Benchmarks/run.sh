#!/usr/bin/env bash
# Measures discfg beside etcd, in one run on this machine, and prints the tables of docs/benchmarks.md.
# Benchmarks/README.md says what is measured. Everything listens on 127.0.0.1 and is stopped at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rounds=${ROUNDS:-3}
seconds=${SECONDS_PER_LOAD:-8}
discfg=${DISCFG:-$PWD/.build/release/discfg}
etcd_port=${ETCD_PORT:-23790}
peer_port=${ETCD_PEER_PORT:-23800}
discfg_port=${DISCFG_PORT:-18899}

work=$PWD/.build/benchmark # one place for the data of both, so that both write to the same disk
server=                    # the process id of the server that runs

say() { echo "$*" >&2; }

fail() {
    say "$0: $*"
    exit 1
}

# A server that does not stop when told must not keep its port, nor this script.
stop_server() {
    local try
    [[ -n $server ]] || return 0
    kill "$server" 2>/dev/null || true
    for ((try = 0; try < 100; try++)); do
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    kill -9 "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
}

trap stop_server EXIT
trap 'exit 130' INT TERM

# wait_for URL: until the server that was just started answers there.
wait_for() {
    local try
    for ((try = 0; try < 150; try++)); do
        kill -0 "$server" 2>/dev/null || fail "the server for $1 stopped at once; its log is in $work"
        if curl -fsS --max-time 2 "$1" >/dev/null 2>&1; then return; fi
        sleep 0.2
    done
    fail "nothing answers at $1"
}

# An answer from another server on the port would be measured as if it were ours.
require_free() {
    if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then fail "port $1 is in use; choose another (see README.md)"; fi
}

start_etcd() {
    local url=http://127.0.0.1:$etcd_port peer=http://127.0.0.1:$peer_port
    require_free "$etcd_port"
    rm -rf "$work/etcd"
    etcd --name bench --data-dir "$work/etcd" --enable-v2 --logger zap --log-level error \
        --listen-client-urls "$url" --advertise-client-urls "$url" \
        --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" \
        --initial-cluster "bench=$peer" >"$work/etcd.log" 2>&1 &
    server=$!
    wait_for "$url/health"
}

start_discfg() {
    require_free "$discfg_port"
    rm -f "$work"/server.db*
    "$discfg" --store "sqlite:$work/server.db" serve --listen "127.0.0.1:$discfg_port" >"$work/discfg.log" 2>&1 &
    server=$!
    wait_for "http://127.0.0.1:$discfg_port/health"
}

# load PORT NAME: warms up for a second, then measures.
load() {
    local url=http://127.0.0.1:$1 line
    local options=(-t1 -c32 --latency -s Benchmarks/load.lua)
    timeout --foreground 60 wrk "${options[@]}" -d1 "$url" -- "$2" >/dev/null
    line=$(timeout --foreground $((seconds + 60)) wrk "${options[@]}" -d"$seconds" "$url" -- "$2" | tail -n 1)
    say "  $line"
    [[ ${line##* } == 0 ]] || fail "requests failed, so the rate means nothing: $line"
    echo "$line" >>"$work/loads.txt"
}

round_of_etcd() {
    local url=http://127.0.0.1:$etcd_port
    start_etcd
    curl -fsS -o /dev/null -X PUT "$url/v2/keys/bench" --data-urlencode "value@$work/value"
    curl -fsS -o /dev/null "$url/v3/kv/put" \
        -d "{\"key\":\"$(printf /bench | base64)\",\"value\":\"$(base64 <"$work/value" | tr -d '\n')\"}"
    load "$etcd_port" etcd-v2-get
    load "$etcd_port" etcd-v3-range
    load "$etcd_port" etcd-v3-put
    stop_server
}

round_of_discfg() {
    local key=http://127.0.0.1:$discfg_port/v1/default/keys/bench
    start_discfg
    curl -fsS -o /dev/null -X PUT -H 'Content-Type: text/plain' --data-binary "@$work/value" "$key"
    [[ $(curl -fsS "$key?raw") == "$(cat "$work/value")" ]] || fail "discfg did not answer the value that was set"
    load "$discfg_port" discfg-get
    load "$discfg_port" discfg-get-raw
    load "$discfg_port" discfg-put
    stop_server
}

# The server alone, after one request; measured before any load.
measure_memory() {
    start_discfg
    curl -fsS -o /dev/null "http://127.0.0.1:$discfg_port/v1/cfgs"
    sleep 2
    awk '/^VmRSS:/ { print "rss-kib", $2 }' "/proc/$server/status" >>"$work/values.txt"
    stop_server
}

# wall NAME RUNS COMMAND...
wall() {
    local line
    line=$(timeout --foreground 900 python3 Benchmarks/wall.py "$@")
    say "  $line"
    echo "$line" >>"$work/walls.txt"
}

measure_get_and_import() {
    local run store=$work/commands.db
    "$discfg" --store "sqlite:$store" set /bench "$(cat "$work/value")" >/dev/null
    wall get 30 "$discfg" --store "sqlite:$store" get /bench

    python3 Benchmarks/generate.py objects "$work/objects.json"
    for ((run = 1; run <= 3; run++)); do
        wall import 1 "$discfg" --store "sqlite:$work/import-$run.db" import "$work/objects.json" \
            --prefix /iso --split-arrays
    done
}

# measure_ls NAME COUNT: a store of ten branches with COUNT directories of 100 keys each.
measure_ls() {
    local branch store=sqlite:$work/$1.db
    python3 Benchmarks/generate.py branch "$work/branch.json" "$2"
    say "  importing $((10 * $2 * 100)) keys"
    for branch in {0..9}; do
        timeout --foreground 600 "$discfg" --store "$store" import "$work/branch.json" --prefix "/tree/b$branch" >/dev/null
    done
    [[ $("$discfg" --store "$store" ls /tree | wc -l) == 10 ]] || fail "ls /tree did not print 10 lines"
    [[ $("$discfg" --store "$store" ls /tree/b5/s0000 | wc -l) == 100 ]] || fail "ls /tree/b5/s0000 did not print 100 lines"
    wall "ls-top-$1" 30 "$discfg" --store "$store" ls /tree
    wall "ls-leaf-$1" 30 "$discfg" --store "$store" ls /tree/b5/s0000
}

describe_machine() {
    local memory
    memory=$(awk '/^MemTotal:/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)
    echo "- $(date -u +%Y-%m-%d), $(nproc) cores of $(awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo), $memory, Linux $(uname -r)"
    echo "- 4 KiB append with fdatasync: median $(python3 Benchmarks/disk.py "$work") µs, $(df --output=fstype "$work" | tail -n 1)"
    echo "- discfg $("$discfg" version 2>/dev/null | head -n 1 | sed 's/^discfg //'), $(etcd --version | head -n 1), wrk -t1 -c32, $rounds rounds of $seconds s, 256-byte values"
    echo
}

[[ -r /proc/self/status ]] || fail "reads /proc, so it runs on Linux only"
[[ -x $discfg ]] || fail "there is no $discfg; run make build"
rm -rf "$work"
mkdir -p "$work"
head -c 256 /dev/zero | tr '\0' v >"$work/value"

say "Memory"
measure_memory
for ((round = 1; round <= rounds; round++)); do
    say "Round $round"
    round_of_etcd
    round_of_discfg
done
say "Commands"
measure_get_and_import
measure_ls small 1
measure_ls large 1000

{
    describe_machine
    python3 Benchmarks/report.py "$work"
} | tee "$work/report.md"
rm -rf "$work/etcd" "$work"/*.db* "$work"/*.json
