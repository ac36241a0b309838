import DiscfgCore

/// JSON, RFC 8259; numbers keep their literals.
enum JSONFormat {
    static func tree(of bytes: [UInt8], _ meter: ReadingMeter = ReadingMeter()) throws(DiscfgError) -> ConfigTree {
        let content = SourceText.withoutMark(bytes)
        // Before it is parsed, because the parser keeps what it reads.
        var meter = meter
        try meter.add(values(in: content))
        do {
            return ConfigTree(try JSONValue(parsing: content))
        } catch {
            throw .invalid(
                "Line \(SourceText.line(of: error.offset, in: content)) of the file is not JSON: \(error.reason).",
                hint: "Fix that line, or choose another format.")
        }
    }

    /// How many values a JSON text holds, the first among them: exact unless there are empty lists or objects, each of which
    /// counts as two.
    static func values(in bytes: ArraySlice<UInt8>) -> Int {
        var (count, isInString, isEscaped) = (1, false, false)
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): count += 1
            default: break
            }
        }
        return count
    }

    static func bytes(of tree: ConfigTree) -> [UInt8] { Array((tree.json.prettyText + "\n").utf8) }
}
