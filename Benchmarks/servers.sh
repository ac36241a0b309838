# shellcheck shell=bash
# What the measurements have in common: the servers, the load, and what machine it is. Sourced, with the checkout as working directory.
# Everything listens on 127.0.0.1 and is stopped at the end.

rounds=${ROUNDS:-3}
seconds=${SECONDS_PER_LOAD:-8}
discfg=${DISCFG:-$PWD/.build/release/discfg}
etcd_port=${ETCD_PORT:-23790}
peer_port=${ETCD_PEER_PORT:-23800}
discfg_port=${DISCFG_PORT:-18899}

work=$PWD/.build/benchmark # one place for the data of both, so that both write to the same disk
server=                    # the process id of the server that runs
serve_options=()           # what `discfg serve` is told besides

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
    "$discfg" --store "sqlite:$work/server.db" serve --listen "127.0.0.1:$discfg_port" \
        "${serve_options[@]}" >"$work/discfg.log" 2>&1 &
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

describe_machine() {
    local memory
    memory=$(awk '/^MemTotal:/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)
    echo "- $(date -u +%Y-%m-%d), $(nproc) cores of $(awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo), $memory, Linux $(uname -r)"
    echo "- 4 KiB append with fdatasync: median $(python3 Benchmarks/disk.py "$work") µs, $(df --output=fstype "$work" | tail -n 1)"
    echo "- discfg $("$discfg" version 2>/dev/null | head -n 1 | sed 's/^discfg //'), $(etcd --version | head -n 1), wrk -t1 -c32, $rounds rounds of $seconds s, 256-byte values"
    echo
}

# begin: checks what is needed, and makes an empty folder for the data.
begin() {
    [[ -r /proc/self/status ]] || fail "reads /proc, so it runs on Linux only"
    [[ -x $discfg ]] || fail "there is no $discfg; run make build"
    rm -rf "$work"
    mkdir -p "$work"
    head -c 256 /dev/zero | tr '\0' v >"$work/value"
}
