#!/usr/bin/env bash
# Builds an example and runs it against ministack, a stand-in for AWS, which it starts; or against AWS_ENDPOINT_URL where that is set.
# usage: Examples/run.sh NAME
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

name=${1:-}
names=(Examples/*/)
names=("${names[@]#Examples/}")
if [[ -z $name || ! " ${names[*]} " == *" $name/ "* ]]; then
    echo "There is no example \"$name\"; there are:" >&2
    printf '    %s\n' "${names[@]%/}" >&2
    exit 1
fi

swift build --product "$name"
program=$(swift build --show-bin-path)/$name

if [[ -z ${AWS_ENDPOINT_URL:-} ]]; then
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    folder=$(mktemp -d)
    BIND_HOST=127.0.0.1 GATEWAY_PORT=$port DOCKER_HOST='' LOG_LEVEL=WARNING PERSIST_STATE=0 STATE_DIR=$folder \
        .venv-aws/bin/ministack >"$folder/log" 2>&1 &
    ministack=$!
    trap 'kill $ministack 2>/dev/null; wait $ministack 2>/dev/null; rm -rf "$folder"' EXIT
    export AWS_ENDPOINT_URL=http://127.0.0.1:$port
    export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_REGION=us-east-1
    until python3 -c "import urllib.request as u; u.urlopen('$AWS_ENDPOINT_URL/_ministack/health')" 2>/dev/null; do
        if ! kill -0 $ministack 2>/dev/null; then
            echo "AWS's stand-in did not start:" >&2
            cat "$folder/log" >&2
            exit 1
        fi
        sleep 0.1
    done
fi
"$program"
