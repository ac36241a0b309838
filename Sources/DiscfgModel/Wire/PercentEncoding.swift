/// Percent-encoding of URLs, and of keys that no path names.
///
/// Source: RFC 3986, section 2.1.
package enum PercentEncoding {
    /// The decoded text.
    ///
    /// - Throws: `DiscfgError` with code `invalidName` if an escape is not two hexadecimal digits, or the result is not UTF-8.
    package static func decode(_ text: some StringProtocol) throws(DiscfgError) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        guard let decoded = String(validating: try bytes(Array(text.utf8)[...]), as: UTF8.self) else {
            throw DiscfgError(.invalidName, "“\(text)” is not UTF-8.", hint: "Encode the bytes of UTF-8 text.")
        }
        return decoded
    }

    /// The decoded bytes.
    ///
    /// - Throws: `DiscfgError` with code `invalidName` if an escape is not two hexadecimal digits.
    package static func bytes(_ encoded: ArraySlice<UInt8>) throws(DiscfgError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var iterator = encoded.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next()?.hexValue, let low = iterator.next()?.hexValue else {
                throw DiscfgError(
                    .invalidName,
                    "“\(String(decoding: encoded, as: UTF8.self))” has a “%” without two hexadecimal digits.",
                    hint: "Write “%25” for “%”.")
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The bytes, with all but unreserved characters and those to keep written as `%` and two upper-case digits.
    package static func encode(_ bytes: some Sequence<UInt8>, keeping kept: String = "") -> String {
        var text = ""
        for byte in bytes { append(byte, to: &text, isKept: kept.utf8.contains(byte)) }
        return text
    }

    /// Appends a byte, as it is if it is unreserved or kept, otherwise encoded.
    static func append(_ byte: UInt8, to text: inout String, isKept: Bool) {
        if isKept || byte.isUnreserved {
            text.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            text += "%" + byte.hex.uppercased()
        }
    }
}

extension UInt8 {
    /// Whether a URL may have the byte anywhere; RFC 3986, section 2.3.
    fileprivate var isUnreserved: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(self)
        }
    }

    fileprivate var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
