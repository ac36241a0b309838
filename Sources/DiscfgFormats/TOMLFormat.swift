import DiscfgCore

/// TOML 1.0.0, read and written here.
///
/// TOMLKit was tried and is not used: the parser below it aborts the process on input such as `[1, }` (it asserts, also in
/// release builds), never frees a document, and ends texts at U+0000. A file may come from anyone.
/// Source: https://toml.io/en/v1.0.0.
enum TOMLFormat {
    static func tree(of bytes: [UInt8], _ meter: ReadingMeter = ReadingMeter()) throws(DiscfgError) -> ConfigTree {
        var parser = TOMLParser(try SourceText.decode(bytes), meter)
        return try parser.document()
    }
}
