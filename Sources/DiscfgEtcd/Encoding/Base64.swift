/// Base64 with the standard alphabet and padding, fast enough for every answer.
///
/// Source: RFC 4648, sections 4 and 5.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// The six bits of each character; 255 where it has none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        // The alphabet for URLs.
        values[Int(UInt8(ascii: "-"))] = 62
        values[Int(UInt8(ascii: "_"))] = 63
        return values
    }()
    private static let padding = UInt8(ascii: "=")

    /// The text of some bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the text of some bytes.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        alphabet.withUnsafeBufferPointer { alphabet in
            bytes.withUnsafeBufferPointer { bytes in
                var index = 0
                while index + 2 < bytes.count {
                    let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                    text.append(alphabet[Int(group >> 18)])
                    text.append(alphabet[Int(group >> 12 & 63)])
                    text.append(alphabet[Int(group >> 6 & 63)])
                    text.append(alphabet[Int(group & 63)])
                    index += 3
                }
                let rest = bytes.count - index
                guard rest > 0 else { return }
                let group = UInt32(bytes[index]) << 16 | (rest == 2 ? UInt32(bytes[index + 1]) << 8 : 0)
                text.append(alphabet[Int(group >> 18)])
                text.append(alphabet[Int(group >> 12 & 63)])
                text.append(rest == 2 ? alphabet[Int(group >> 6 & 63)] : padding)
                text.append(padding)
            }
        }
    }

    /// Where a text ceases to be base64.
    package struct Failure: Error, Hashable {
        /// The offset of the first character that cannot be there.
        package var offset: Int
    }

    /// The bytes that a text stands for, with or without padding, in the standard alphabet or the one for URLs.
    package static func decode(_ text: ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
        var count = text.count
        while count > 0, text.count - count < 2, text[text.startIndex + count - 1] == padding { count -= 1 }
        let isPadded = count < text.count
        guard count % 4 != 1, !isPadded || text.count % 4 == 0 else { throw Failure(offset: text.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 3 / 4)
        var wrong: Int?
        values.withUnsafeBufferPointer { values in
            text.withUnsafeBufferPointer { text in
                var (group, bits) = (0 as UInt32, 0 as UInt32)
                for index in 0..<count {
                    let value = values[Int(text[index])]
                    guard value != 255 else {
                        wrong = index
                        return
                    }
                    group = group << 6 | UInt32(value)
                    bits += 6
                    if bits >= 8 {
                        bits -= 8
                        bytes.append(UInt8(truncatingIfNeeded: group >> bits))
                    }
                }
            }
        }
        if let wrong { throw Failure(offset: wrong) }
        return bytes
    }
}
