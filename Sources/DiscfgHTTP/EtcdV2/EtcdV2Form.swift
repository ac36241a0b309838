import NIOCore

/// The parameters of a request as Go's `net/url` reads them: any bytes, the first of a name counts.
struct EtcdV2Form: Sendable {
    /// Maximum number of parameters; etcd knows about ten.
    private static let maximumCount = 1000

    private var fields: [(name: String, value: [UInt8])] = []

    /// Adds what a query or a body has, behind what is there.
    ///
    /// - Throws: `EtcdV2Error` when it is not well-formed.
    mutating func add(_ text: some Collection<UInt8>) throws(EtcdV2Error) {
        for pair in text.split(separator: UInt8(ascii: "&")) {
            guard !pair.contains(UInt8(ascii: ";")) else {
                throw .invalidForm("invalid semicolon separator in query")
            }
            guard fields.count < Self.maximumCount else { throw .invalidForm("too many parameters") }
            let equals = pair.firstIndex(of: UInt8(ascii: "="))
            let name = try Self.decode(pair[..<(equals ?? pair.endIndex)])
            let value = try equals.map { place throws(EtcdV2Error) in
                try Self.decode(pair[pair.index(after: place)...])
            }
            fields.append((String(decoding: name, as: UTF8.self), value ?? []))
        }
    }

    /// The first value of a name; `nil` if there is none.
    subscript(name: String) -> [UInt8]? { fields.first { $0.name == name }?.value }

    var isEmpty: Bool { fields.isEmpty }

    private static func decode(_ text: some Collection<UInt8>) throws(EtcdV2Error) -> [UInt8] {
        guard let bytes = PercentBytes.decode(text, plusIsSpace: true) else {
            throw .invalidForm("invalid URL escape \"\(PercentBytes.wrongEscape(in: text))\"")
        }
        return bytes
    }
}

/// Percent-encoding of any bytes, UTF-8 or not.
enum PercentBytes {
    /// What the encoded text stands for; `nil` when a `%` is not followed by two hexadecimal digits.
    static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next()?.hexadecimal, let low = iterator.next()?.hexadecimal else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// The first escape that is none, with the two bytes behind it, for messages.
    static func wrongEscape(in text: some Collection<UInt8>) -> String {
        let bytes = Array(text)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            let escape = bytes[index...].prefix(3)
            if escape.count < 3 || escape.dropFirst().contains(where: { $0.hexadecimal == nil }) {
                return String(decoding: escape, as: UTF8.self)
            }
        }
        return ""
    }
}

extension UInt8 {
    fileprivate var hexadecimal: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
