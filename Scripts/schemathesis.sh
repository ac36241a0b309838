#!/usr/bin/env bash
# Sends generated requests to a running server, and checks that it answers as /openapi.yaml says. Fails on any finding.
# It writes, and deletes: the server's store must be one to throw away.
# usage: Scripts/schemathesis.sh BASE_URL [options of schemathesis run]
set -euo pipefail

[[ ${1:-} == http* ]] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
base_url=${1%/}
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
schemathesis=${DISCFG_TEST_VENV:-$root/.venv}/bin/schemathesis
[[ -x $schemathesis ]] || { echo "$0: there is no $schemathesis; run make test, or set DISCFG_TEST_VENV" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" # where it leaves its caches

cat >schemathesis.toml <<'CONFIG'
# Every check that there is runs, but for these:
[checks]
# What the document allows can still fail on the state of the config: a revision that is not there, a condition that does
# not hold, two parameters that exclude each other.
positive_data_acceptance.enabled = false
# There are no credentials.
ignored_auth.enabled = false
object_level_authorization.enabled = false

[checks.negative_data_rejection]
# A request that breaks the document may have another fault as well, and that one may be named first.
expected-statuses = [400, 403, 404, 405, 409, 410, 412, 413, 415]

[phases.stateful]
max-steps = 4

# Long polls are tested elsewhere; here they would only take time.
[parameters]
"query.wait" = "20ms"

# Most requests should reach a config that exists.
[[operations]]
include-tag = ["keys", "history", "files"]
parameters = { "path.cfg" = "default" }

# That a target does not take a test is no fault of the server, and says so with 502.
[[operations]]
include-operation-id = "testNotification"
checks = { not_a_server_error = { expected-statuses = ["2xx", "3xx", "4xx", "502"] } }

# The path of a list is also that of a key with a slash at its end, which PUT and PATCH refuse as a name (400, not 405).
[[operations]]
include-path = ["/v1/{cfg}/keys/", "/v1/{cfg}/keys/{prefix}/"]
checks = { unsupported_method = { enabled = false }, allow_header_conformance = { enabled = false } }
parameters = { "path.cfg" = "default" }
CONFIG

# Warnings are only about how many requests reached a key that exists.
# The seed and the limits make a run repeatable and short; what is found by other seeds belongs in a test of its own.
"$schemathesis" --config-file schemathesis.toml run "$base_url/openapi.yaml" \
    --seed 20260131 --max-examples 40 --max-time 90 --workers 1 --request-timeout 10 \
    --continue-on-failure --generation-database none --warnings off --no-color "$@"
