package import DiscfgCore

/// The text of a file, and where in it something stands.
package enum SourceText {
    /// The bytes as text, without a byte order mark.
    ///
    /// - Throws: `DiscfgError` with the line of the first byte that is not UTF-8.
    package static func decode(_ bytes: [UInt8]) throws(DiscfgError) -> String {
        let content = withoutMark(bytes)
        if let text = String(validating: content, as: UTF8.self) { return text }
        var valid = 0
        var decoder = UTF8()
        var iterator = content.makeIterator()
        decoding: while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): valid += String(scalar).utf8.count
            case .emptyInput, .error: break decoding
            }
        }
        throw .invalid(
            "Line \(line(of: valid, in: content)) of the file is not UTF-8.",
            hint: "Convert the file to UTF-8, and try again.")
    }

    /// The bytes without a byte order mark, which editors put in front of UTF-8 and parsers stumble on.
    static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    }

    /// The line, counted from 1, of the byte that many bytes after the first.
    package static func line(of offset: Int, in bytes: some Collection<UInt8>) -> Int {
        1 + bytes.prefix(offset).count { $0 == 0x0A }
    }
}
