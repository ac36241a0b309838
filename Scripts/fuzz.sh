#!/usr/bin/env bash
# Feeds every decoder of remote bytes with inputs that libFuzzer makes, under the address sanitizer. What it finds new stays in
# .build/fuzz-corpus and is where the next run begins; an input that fails is written to .build/fuzz-DECODER-….
# usage: Scripts/fuzz.sh SECONDS [DECODER...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:?say for how many seconds each decoder is to run}
shift
if [[ $# == 0 || $1 == all ]]; then
    set -- json yaml toml env properties transaction settings texts v2-form v3-json v3-stream protobuf aws-json aws-xml records \
        lambda-request lambda-stream
fi

# A folder of its own: nothing else is compiled for the sanitizers. Of two options --sanitize only the last reaches the compiler, so that
# the code would not be instrumented for coverage.
build=(
    swift build --product discfg-fuzz --scratch-path .build/fuzz --sanitize address -Xswiftc "-sanitize=fuzzer,address"
)
DISCFG_FUZZ=1 "${build[@]}"
binary=$(DISCFG_FUZZ=1 "${build[@]}" --show-bin-path)/discfg-fuzz

status=0
for decoder in "$@"; do
    found=.build/fuzz-corpus/$decoder
    mkdir -p "$found"
    seeds=()
    for folder in "Tests/Fuzz/Corpus/$decoder" Tests/DiscfgFormatsTests/Fixtures; do
        [[ ! -d $folder ]] || seeds+=("$folder")
    done
    echo "--- $decoder"
    # An input may take 10 seconds and 2 GB at most; the sanitizer makes everything several times slower.
    log=.build/fuzz-$decoder.log
    DISCFG_FUZZ_DECODER=$decoder ASAN_OPTIONS=detect_leaks=0 "$binary" "$found" "${seeds[@]}" \
        -max_total_time="$seconds" -max_len=20000 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix=".build/fuzz-$decoder-" >"$log" 2>&1 || status=1
    grep -aE '^#[0-9]+\s+DONE|^stat::|ERROR: |^SUMMARY: ' "$log" || true
    if ! grep -aqE '^#[0-9]+\s+DONE\s+cov: ' "$log"; then
        echo "$decoder: no coverage was measured, so that the inputs are random: the run shows nothing." >&2
        status=1
    fi
done
exit "$status"
