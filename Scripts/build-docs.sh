#!/usr/bin/env bash
# Builds the DocC documentation of the libraries that have a catalogue into .build/docs, from the modules of the debug build;
# a broken link is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

modules=(DiscfgModel DiscfgCore DiscfgClient AWSClient DynamoDBPatterns DynamoDBPatternsTesting)
products=$(swift build --show-bin-path)
for module in "${modules[@]}"; do
    if [[ ! -e $products/Modules/$module.swiftmodule ]]; then
        echo "There is no debug build of $module yet: build it first, with swift build." >&2
        exit 1
    fi
done

# The modules of C that the libraries underneath import: some have maps of their own, for others the build made them.
flags=()
for map in "$products"/*.build/module.modulemap .build/checkouts/*/Sources/*/include/module.modulemap; do
    # What plugins are built with is there twice.
    [[ $map == *-tool.build/* ]] || flags+=(-Xcc "-fmodule-map-file=$map")
done
target=$(swiftc -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p' | head -n 1)

rm -rf .build/symbols .build/docs
archives=()
for module in "${modules[@]}"; do
    symbols=.build/symbols/$module
    mkdir -p "$symbols"
    swift symbolgraph-extract -module-name "$module" -target "$target" -minimum-access-level public \
        -skip-synthesized-members -output-dir "$symbols" -I "$products/Modules" "${flags[@]}"
    sources=Sources/$module
    [[ -d $sources ]] || sources=Libraries/$module/Sources
    docc convert "$sources/$module.docc" --additional-symbol-graph-dir "$symbols" \
        --output-path "$symbols.doccarchive" --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
        --warnings-as-errors
    archives+=("$symbols.doccarchive")
done
docc merge "${archives[@]}" --output-path .build/docs --synthesized-landing-page-name discfg
echo "The documentation is in .build/docs; any web server shows it."
