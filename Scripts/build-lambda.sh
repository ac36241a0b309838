#!/usr/bin/env bash
# Builds .build/lambda/discfg-lambda.zip: the program for AWS Lambda's runtime provided.al2023, the same bytes for the same
# sources in the same folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=.build/lambda

if [[ $(uname -s) != Linux ]]; then
    echo "$0: the program for Lambda is built on Linux; use a container of the image swift:6.3-bookworm, or CI" >&2
    exit 1
fi

# shellcheck source=Scripts/glibc-shim.sh
source Scripts/glibc-shim.sh
swift build -c release --product discfg-lambda --static-swift-stdlib -Xlinker -s "${glibc_shim[@]}"

mkdir -p "$folder"
cp .build/release/discfg-lambda "$folder/bootstrap"
Scripts/check-lambda.sh "$folder/bootstrap"

# Not by zip(1), which notes the time and the user.
python3 - "$folder/bootstrap" "$folder/discfg-lambda.zip" <<'PYTHON'
import sys, zipfile

program, archive = sys.argv[1:]
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
    entry = zipfile.ZipInfo("bootstrap", date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3
    entry.external_attr = 0o100755 << 16
    with open(program, "rb") as content:
        file.writestr(entry, content.read())
PYTHON
ls -l "$folder"
