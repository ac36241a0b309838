/// Percent encoding as AWS's signatures have it: all but letters, digits and `-_.~`, in capitals.
enum PercentEncoding {
    static func encoded(_ text: some StringProtocol, keepingSlashes: Bool = false) -> String {
        encoded(Array(text.utf8), keepingSlashes: keepingSlashes)
    }

    static func encoded(_ bytes: [UInt8], keepingSlashes: Bool = false) -> String {
        let hex = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte.isLetterOrDigit || "-_.~".utf8.contains(byte) || byte == UInt8(ascii: "/") && keepingSlashes {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The bytes that an encoded text stands for; a `%` without two hexadecimal digits stands for itself.
    static func decoded(_ text: some StringProtocol) -> [UInt8] {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = bytes[index + 1].hexadecimalValue,
                let low = bytes[index + 2].hexadecimalValue
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}
