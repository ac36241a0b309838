#!/usr/bin/env bash
# Makes Protos/etcd and the Swift code of etcd's messages from etcd's own .proto files.
#
# What other projects added to those files (gogoproto, grpc-gateway, OpenAPI, etcd's version marks) is left out;
# packages, services, names and field numbers stay, for they are what goes over the wire.
# The messages go to Sources, a client for the tests to Tests. Run it again after an update of etcd,
# swift-protobuf or grpc-swift-protobuf, and commit what changed.
# usage: Scripts/make-etcd-protos.sh ETCD_SOURCES [options of swift build]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

protos=Protos/etcd
server=Sources/DiscfgEtcdGRPC/Generated
client=Tests/DiscfgEtcdGRPCTests/Generated

fail() {
    echo "$0: $*" >&2
    exit 1
}

# original PACKAGE FILE: prints where the file is in the sources: from etcd 3.5 on, then in 3.4.
original() {
    local folder
    for folder in api server/etcdserver/api/"${2%.proto}" auth mvcc etcdserver etcdserver/api/"${2%.proto}"; do
        if [[ -f $etcd/$folder/$1/$2 ]]; then
            echo "$folder/$1/$2"
            return
        fi
    done
    fail "$etcd has no $1/$2; is it a checkout of https://github.com/etcd-io/etcd, 3.4 or newer?"
}

# strip FILE: prints the file without options in parentheses, which are the ones that others define, and without
# etcd's notes to itself.
strip() {
    awk '
        # An option that is a statement, over one line or many; braces tell where it ends.
        !inside && /^[ \t]*option[ \t]*\(/ { inside = 1; depth = 0 }
        inside {
            depth += gsub(/{/, "{") - gsub(/}/, "}")
            if (depth <= 0 && /;/) inside = 0
            next
        }
        /^(syntax|package|import)[ \t]/ || /^option go_package/ || /^[ \t]*\/\/ (for grpc-gateway|TODO)/ { next }
        # Options of a field or of an enum value: [(gogoproto.nullable) = false, (…) = …].
        { sub(/[ \t]*\[\([a-z]+\..*\];/, ";"); sub(/[ \t]+$/, "") }
        # Empty lines: none at the start, none twice.
        /./ { if (blank && started) print ""; blank = 0; started = 1; print }
        !/./ { blank = 1 }' "$1"
}

# adopt PACKAGE FILE [PACKAGE/FILE that it needs]...: writes the stripped file below Protos/etcd.
adopt() {
    local package=$1 file=$2 path needed
    path=$(original "$package" "$file")
    shift 2
    mkdir -p "$protos/$package"
    {
        echo "// $package/$file of etcd, https://github.com/etcd-io/etcd. Copyright The etcd Authors."
        echo "// Licensed under the Apache License, Version 2.0; https://www.apache.org/licenses/LICENSE-2.0."
        echo "// Changed by Scripts/make-etcd-protos.sh: without options and imports of other projects."
        printf 'syntax = "proto3";\npackage %s;\n\n' "$package"
        for needed in "$@"; do echo "import \"etcd/$needed\";"; done
        [[ $# == 0 ]] || echo
        strip "$etcd/$path"
    } >"$protos/$package/$file"
}

# generate PLUGIN FOLDER OPTIONS FILE...: runs protoc with one plugin; the file names lose their folders.
generate() {
    local plugin=$1 folder=$2 options=$3
    shift 3
    protoc --proto_path=Protos --plugin="$binaries/$plugin" \
        "--${plugin#protoc-gen-}_opt=FileNaming=DropPath,Visibility=Internal,UseAccessLevelOnImports=true,$options" \
        "--${plugin#protoc-gen-}_out=$folder" "${@/#/etcd/}"
}

# The messages are internal to the target, which its own tests may see.
open_to_tests() {
    sed -i.original 's/^internal import DiscfgEtcdGRPC$/@testable import DiscfgEtcdGRPC/' "$client"/*.swift
    rm -f "$client"/*.original
}

# release_before_merging FILE...: where a message comes again for the same case of a oneof, swift-protobuf merges it into a copy of
# the one before, which takes quadratic time if a client sends it many times. Without the second owner nothing is copied.
release_before_merging() {
    local file
    for file in "$@"; do
        awk '
            { print }
            /^ *if let current = self\.[A-Za-z]+ {$/ { union = $5; indent = $0; sub(/if.*/, "", indent) }
            union != "" && $0 == indent "}" { print indent "if v != nil {" union " = nil}"; union = "" }' "$file" >"$file.released"
        mv "$file.released" "$file"
    done
}

# guard FILE...: what is made is compiled with the trait only; its header stays on top, where swift-format looks for it.
guard() {
    local file
    for file in "$@"; do
        awk '
            !inside && !/^(\/\/|$)/ { inside = 1; print "#if EtcdGRPC" }
            { print }
            END { print "#endif" }' "$file" >"$file.guarded"
        mv "$file.guarded" "$file"
    done
}

etcd=${1:-}
[[ -n $etcd ]] || { sed -n '8s/^# //p' "$0" >&2; exit 2; }
[[ -d $etcd ]] || fail "there is no folder $etcd; get etcd's sources: git clone https://github.com/etcd-io/etcd"
shift
command -v protoc >/dev/null 2>&1 ||
    fail "needs protoc, 3.15 or newer: apt-get install protobuf-compiler, or brew install protobuf"
command -v swift >/dev/null 2>&1 || fail "needs swift, to build the generators: https://www.swift.org/install"

adopt mvccpb kv.proto
adopt authpb auth.proto
adopt etcdserverpb rpc.proto authpb/auth.proto mvccpb/kv.proto
adopt v3lockpb v3lock.proto etcdserverpb/rpc.proto
adopt v3electionpb v3election.proto etcdserverpb/rpc.proto mvccpb/kv.proto

for product in protoc-gen-swift protoc-gen-grpc-swift-2; do
    swift build "$@" --product "$product" || fail "could not build $product; Package.swift needs swift-protobuf \
and grpc-swift-protobuf, and if a trait guards them, it must be on: $0 ETCD_SOURCES --traits NAME"
done
binaries=$(swift build "$@" --show-bin-path)

messages=(mvccpb/kv.proto authpb/auth.proto etcdserverpb/rpc.proto v3lockpb/v3lock.proto v3electionpb/v3election.proto)
services=(etcdserverpb/rpc.proto v3lockpb/v3lock.proto v3electionpb/v3election.proto)
rm -rf "$server" "$client" # so that a file that is no longer made does not stay
mkdir -p "$server" "$client"
generate protoc-gen-swift "$server" SwiftProtobufModuleName=SwiftProtobuf "${messages[@]}"
generate protoc-gen-grpc-swift-2 "$client" Server=false,Client=true,ExtraModuleImports=DiscfgEtcdGRPC "${services[@]}"
open_to_tests
release_before_merging "$server"/*.pb.swift
guard "$server"/*.swift "$client"/*.swift
wc -l "$protos"/*/*.proto "$server"/*.swift "$client"/*.swift
