#!/usr/bin/env bash
# Checks the arrows between the targets: what each module in Sources and Libraries may import.
#
# A target is listed with every module that it may import, so that what is not allowed on purpose fails.
# The arrows, from docs/architecture.md:
# - an engine imports DiscfgCore and its driver, never another engine and never DiscfgHTTP;
# - DiscfgEtcd imports no transport: the modules that serve etcd's APIs import it;
# - DiscfgHTTP imports no engine; DiscfgCore imports no network, no driver and no full Foundation;
# - DiscfgClient imports DiscfgModel and not DiscfgCore; DiscfgRemote, a server as an engine, imports both;
# - DiscfgYAML is apart from the other formats: its parser needs the whole of Foundation;
# - only an executable chooses an engine; discfg-lambda has neither SQLite nor ArgumentParser nor the whole of Foundation;
# - a module in Libraries, and its tests, import no module of discfg.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rules() {
    cat <<'RULES'
DiscfgModel        nothing
DiscfgCore         DiscfgModel CoreMetrics Logging Metrics ServiceLifecycle
CGlibcShim         nothing
DiscfgFormats      DiscfgCore
DiscfgYAML         CYaml DiscfgCore DiscfgFormats
LambdaRuntime      Logging NIOCore NIOHTTP1 NIOPosix
GRPCServing        NIOCore NIOHPACK NIOHTTP2
AWSClient          AsyncHTTPClient Crypto Logging NIOCore NIOHTTP1 NIOPosix Subprocess System SystemPackage
AWSTestSupport     Foundation NIOCore NIOHTTP1 NIOPosix Subprocess System SystemPackage
DynamoDBPatterns   AWSClient CoreMetrics Logging ServiceLifecycle
DynamoDBPatternsTesting AWSClient DynamoDBPatterns
DiscfgDynamoDB     AWSClient DiscfgCore Crypto
DiscfgDynamoDBTestSupport AWSClient DiscfgDynamoDB DynamoDBPatterns DynamoDBPatternsTesting
DiscfgSQLite       DiscfgCore Crypto Foundation GRDB GRDBSQLite Logging
DiscfgEtcd         DiscfgCore Crypto Logging
DiscfgNotifications AWSClient DiscfgCore AsyncHTTPClient Crypto Logging NIOCore NIOHTTP1 NIOPosix ServiceLifecycle
DiscfgEtcdGRPC     DiscfgCore DiscfgEtcd GRPCServing Logging NIOCore NIOHPACK SwiftProtobuf
DiscfgHTTP         DiscfgCore DiscfgEtcd DiscfgFormats CoreMetrics HTTPTypes Hummingbird HummingbirdCore Logging Metrics NIOCore NIOHTTP1 ServiceLifecycle
DiscfgClient       DiscfgModel AsyncHTTPClient Foundation Logging NIOCore NIOHTTP1 NIOPosix
DiscfgRemote       DiscfgClient DiscfgCore Logging
DiscfgTestSupport  DiscfgCore DiscfgEtcd Foundation Logging
DiscfgSimulation   AWSClient DiscfgCore DiscfgDynamoDB DiscfgDynamoDBTestSupport DiscfgEtcd DynamoDBPatterns DynamoDBPatternsTesting Logging
discfg             AWSClient DiscfgClient DiscfgCore DiscfgDynamoDB DiscfgEtcd DiscfgEtcdGRPC DiscfgFormats DiscfgHTTP DiscfgNotifications DiscfgRemote DiscfgSQLite DiscfgYAML GRPCServing ArgumentParser CoreMetrics Foundation Hummingbird HummingbirdCore Logging Metrics NIOCore Rainbow ServiceLifecycle Subprocess System SystemPackage UnixSignals
discfg-lambda      AWSClient DiscfgCore DiscfgDynamoDB DiscfgEtcd DiscfgHTTP DiscfgNotifications HTTPTypes Hummingbird LambdaRuntime Logging NIOCore NIOPosix
RULES
}

# Part of the toolchain on every platform, light, and so open to all. Full Foundation is not among them.
everywhere="Darwin Dispatch FoundationEssentials Glibc Musl Swift Synchronization"

status=0
complain() {
    echo "$*" >&2
    status=1
}

# imports DIRECTORY: prints `file:line module` for each import. Where Foundation is only what stands in
# for FoundationEssentials (Apple's systems have no such module), it is not counted.
imports() {
    # shellcheck disable=SC2016 # the dollar signs are awk's
    find "$1" -name '*.swift' -print0 | xargs -0 awk '
        FNR == 1 { standsIn = 0 }
        /canImport\(FoundationEssentials\)/ { standsIn = 1 }
        {
            line = $0
            sub(/^[ \t]+/, "", line)
            while (sub(/^@[A-Za-z_]+(\([^)]*\))?[ \t]+/, "", line)) continue
            sub(/^(public|package|internal|fileprivate|private)[ \t]+/, "", line)
            if (line !~ /^import[ \t]/) next
            sub(/^import[ \t]+((struct|class|enum|protocol|actor|func|var|let|typealias)[ \t]+)?/, "", line)
            match(line, /^[A-Za-z0-9_]+/)
            module = substr(line, 1, RLENGTH)
            if (module == "Foundation" && standsIn) next
            print FILENAME ":" FNR, module
        }'
}

# folder TARGET: the folder of a target's sources.
folder() {
    if [[ -d Libraries/$1 ]]; then echo "Libraries/$1/Sources"; else echo "Sources/$1"; fi
}

check_target() {
    local target=$1 allowed=$2 found place module
    found=$(imports "$(folder "$target")")
    while read -r place module; do
        [[ -n $place ]] || continue # nothing found is one empty line
        case " $allowed $everywhere " in
        *" $module "*) ;;
        *) complain "$place: $target may not import $module (it may import: $allowed)" ;;
        esac
    done <<<"$found"
}

check_sources() {
    local directory target rule
    for directory in Sources/*/ Libraries/*/; do
        target=$(basename "$directory")
        rule=$(rules | awk -v target="$target" '$1 == target { $1 = ""; print substr($0, 2) }')
        if [[ -n $rule ]]; then
            check_target "$target" "$rule"
        else
            complain "$(folder "$target") has no rule in Scripts/check-layers.sh: say there what it may import"
        fi
    done
    while read -r target _; do
        [[ -d $(folder "$target") ]] || complain "Scripts/check-layers.sh has a rule for $target, which has no folder"
    done < <(rules)
}

# What is in Libraries could be a package of its own.
check_libraries() {
    local found place module
    found=$(imports Libraries)
    while read -r place module; do
        [[ ! -d Sources/$module ]] || complain "$place: a module in Libraries, and its tests, may not import $module"
    done <<<"$found"
}

# The name of a folder of tests is the name of what they test.
check_tests() {
    local directory target
    for directory in Tests/*/; do
        target=$(basename "$directory")
        [[ $target == EndToEndTests || $target == Soak || $target == Fuzz || -d Sources/${target%Tests} ]] ||
            complain "Tests/$target has no Sources/${target%Tests}"
    done
    for directory in Libraries/*/; do
        [[ -d ${directory}Sources && -d ${directory}Tests ]] || complain "$directory needs the folders Sources and Tests"
    done
}

check_sources
check_libraries
check_tests
exit "$status"
