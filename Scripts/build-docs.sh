#!/usr/bin/env bash
# Builds the DocC documentation of DynamoDBPatterns into .build/docs, from what the debug build has made; a link that leads nowhere
# is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

module=DynamoDBPatterns
products=$(swift build --show-bin-path)
if [[ ! -e $products/Modules/$module.swiftmodule ]]; then
    echo "There is no debug build of $module yet: build it first, with swift build." >&2
    exit 1
fi

# The modules of C that the libraries underneath import: some have maps of their own, for others the build made them.
flags=()
for map in "$products"/*.build/module.modulemap .build/checkouts/*/Sources/*/include/module.modulemap; do
    # What plugins are built with is there twice.
    [[ $map == *-tool.build/* ]] || flags+=(-Xcc "-fmodule-map-file=$map")
done
target=$(swiftc -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p' | head -n 1)

rm -rf .build/symbols .build/docs
mkdir -p .build/symbols
swift symbolgraph-extract -module-name $module -target "$target" -minimum-access-level public -skip-synthesized-members \
    -output-dir .build/symbols -I "$products/Modules" "${flags[@]}"
docc convert Sources/$module/$module.docc --additional-symbol-graph-dir .build/symbols --output-path .build/docs \
    --fallback-display-name $module --fallback-bundle-identifier $module --warnings-as-errors
echo "The documentation is in .build/docs; any web server shows it."
