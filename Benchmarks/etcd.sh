#!/usr/bin/env bash
# Measures discfg's etcd APIs beside etcd's own, in one run on this machine, and prints the tables of docs/benchmarks.md.
# Benchmarks/README.md says what is measured. Everything listens on 127.0.0.1 and is stopped at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck source=Benchmarks/servers.sh
source Benchmarks/servers.sh

watchers=${WATCHERS:-10000}
grpc_port=${DISCFG_GRPC_PORT:-18900}
serve_options=(--etcd-listen "127.0.0.1:$grpc_port" --max-connections $((watchers + 1000)))

# grpc_load PORT NAME METHOD: as `load`, over gRPC: 32 connections, one call at a time on each.
grpc_load() {
    local url=http://127.0.0.1:$1/etcdserverpb.KV/$3 out=$work/h2load.txt
    local options=(-t1 -c32 -m1 -d "$work/$3.bin" -H 'content-type: application/grpc' -H 'te: trailers')
    timeout --foreground $((seconds + 60)) \
        h2load "${options[@]}" --warm-up-time=1 -D "$seconds" --log-file="$work/h2load.tsv" "$url" >"$out"
    python3 Benchmarks/h2load.py "$2" "$out" "$work/h2load.tsv" | tee -a "$work/loads.txt" | sed 's/^/  /' >&2
    rm -f "$work/h2load.tsv"
}

# round SERVER HTTP-PORT GRPC-PORT: both have the same API, and so the same loads.
round() {
    local url=http://127.0.0.1:$2
    curl -fsS -o /dev/null -X PUT "$url/v2/keys/bench" --data-urlencode "value@$work/value"
    load "$2" "$1-v2-get"
    load "$2" "$1-v2-put"
    # What v2 wrote is no key of v3 in etcd.
    curl -fsS -o /dev/null "$url/v3/kv/put" \
        -d "{\"key\":\"$(printf /bench | base64)\",\"value\":\"$(base64 <"$work/value" | tr -d '\n')\"}"
    load "$2" "$1-v3-range"
    load "$2" "$1-v3-put"
    grpc_load "$3" "$1-grpc-range" Range
    grpc_load "$3" "$1-grpc-put" Put
    stop_server
}

# Idle watches, each on a connection of its own, and a thousand on each.
measure_watchers() {
    local each
    for each in 1 1000; do
        start_discfg
        say "  $watchers watches, $each on a connection"
        python3 Benchmarks/watchers.py "http://127.0.0.1:$discfg_port" \
            --watchers "$watchers" --per-connection "$each" --pid "$server" >>"$work/watchers.txt"
        stop_server
    done
}

command -v h2load >/dev/null || fail "there is no h2load (Debian: nghttp2-client)"
begin
python3 Benchmarks/h2load.py --requests "$work"
ulimit -n "$(ulimit -H -n)"

for ((number = 1; number <= rounds; number++)); do
    say "Round $number"
    start_etcd
    round etcd "$etcd_port" "$etcd_port"
    start_discfg
    round discfg "$discfg_port" "$grpc_port"
done
say "Watches"
measure_watchers

{
    describe_machine
    python3 Benchmarks/report.py --etcd "$work"
} | tee "$work/report.md"
rm -rf "$work/etcd" "$work"/*.db* "$work"/*.bin
