#!/usr/bin/env bash
# Measures discfg beside etcd, in one run on this machine, and prints the tables of docs/benchmarks.md.
# Benchmarks/README.md says what is measured. Everything listens on 127.0.0.1 and is stopped at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck source=Benchmarks/servers.sh
source Benchmarks/servers.sh

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

begin

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
