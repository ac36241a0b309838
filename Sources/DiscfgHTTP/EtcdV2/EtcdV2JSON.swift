import DiscfgCore
import DiscfgEtcd
import NIOCore

/// JSON as Go's encoder writes it, straight into the buffer that is sent: what every answer goes through.
extension ByteBuffer {
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// Writes an event and a newline; a short one has nothing but its action.
    mutating func writeEvent(_ event: DirectoryEvent, isShort: Bool = false) {
        writeStaticString("{\"action\":\"")
        writeString(event.action.rawValue)
        writeStaticString("\"")
        if !isShort {
            writeStaticString(",\"node\":")
            writeNode(event.node, at: event.time)
            if let previous = event.previous {
                writeStaticString(",\"prevNode\":")
                writeNode(previous, at: event.time)
            }
        }
        writeStaticString("}\n")
    }

    private mutating func writeNode(_ node: DirectoryNode, at time: Timestamp) {
        writeStaticString("{")
        if !node.path.isRoot {
            writeStaticString("\"key\":")
            writeJSON(node.path.bytes)
            if let value = node.value {
                writeStaticString(",\"value\":")
                writeJSON(value)
            }
            writeStaticString(",")
        }
        if node.isDirectory { writeStaticString("\"dir\":true,") }
        if let expiry = node.expiry { writeExpiry(expiry, at: time) }
        if let first = node.children.first {
            writeStaticString("\"nodes\":[")
            writeNode(first, at: time)
            for child in node.children.dropFirst() {
                writeStaticString(",")
                writeNode(child, at: time)
            }
            writeStaticString("],")
        }
        guard !node.path.isRoot else {
            // The root has neither name nor indexes; its last member ends with a comma.
            moveWriterIndex(to: writerIndex - 1)
            writeStaticString("}")
            return
        }
        writeStaticString("\"modifiedIndex\":")
        writeDecimal(node.modified)
        writeStaticString(",\"createdIndex\":")
        writeDecimal(node.created)
        writeStaticString("}")
    }

    /// The end, and the seconds that were left, counted up; without those where none were.
    private mutating func writeExpiry(_ expiry: Timestamp, at time: Timestamp) {
        writeStaticString("\"expiration\":\"")
        writeString(expiry.description)
        writeStaticString("\",")
        let left = (expiry - time).milliseconds
        guard left > 0 else { return }
        writeStaticString("\"ttl\":")
        writeDecimal((left - 1) / 1000 + 1)
        writeStaticString(",")
    }

    /// Writes a number in decimal digits.
    mutating func writeDecimal(_ number: Int64) {
        if (0...9).contains(number) {
            writeInteger(UInt8(truncatingIfNeeded: number) + 0x30)
        } else {
            writeString(String(number))
        }
    }

    /// Writes a string; what HTML would take for markup is escaped, and bytes that are not UTF-8 are replaced.
    mutating func writeJSON(_ text: [UInt8]) {
        reserveCapacity(minimumWritableBytes: text.count + 2)
        writeStaticString("\"")
        var start = text.startIndex
        var index = start
        while index < text.endIndex {
            let byte = text[index]
            if byte < 0x80, !byte.isEscaped {
                index += 1
                continue
            }
            let length = byte < 0x80 ? 1 : text.lengthOfUTF8(at: index)
            if length > 1, !text.isLineSeparator(at: index) {
                index += length
                continue
            }
            writeBytes(text[start..<index])
            if byte < 0x80 {
                writeEscape(of: byte)
            } else if length > 1 {
                writeString(text[index + 2] == 0xA8 ? "\\u2028" : "\\u2029")
            } else {
                writeStaticString("\\ufffd")
            }
            index += length
            start = index
        }
        writeBytes(text[start...])
        writeStaticString("\"")
    }

    private mutating func writeEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): writeStaticString("\\\"")
        case UInt8(ascii: "\\"): writeStaticString("\\\\")
        case 0x0A: writeStaticString("\\n")
        case 0x0D: writeStaticString("\\r")
        case 0x09: writeStaticString("\\t")
        default:
            writeStaticString("\\u00")
            writeBytes([Self.hexadecimal[Int(byte >> 4)], Self.hexadecimal[Int(byte & 15)]])
        }
    }
}

extension UInt8 {
    /// Whether Go's encoder writes the ASCII character in another way than as it is.
    fileprivate var isEscaped: Bool {
        self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") || self == UInt8(ascii: "<")
            || self == UInt8(ascii: ">") || self == UInt8(ascii: "&")
    }

    fileprivate var isContinuation: Bool { self & 0xC0 == 0x80 }
}

extension [UInt8] {
    /// How many bytes the character has that begins here, which is not ASCII; 1 where none does.
    ///
    /// Source: RFC 3629, section 4.
    fileprivate func lengthOfUTF8(at index: Int) -> Int {
        let (second, length): (ClosedRange<UInt8>, Int)
        switch self[index] {
        case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
        case 0xE0: (second, length) = (0xA0...0xBF, 3)
        case 0xED: (second, length) = (0x80...0x9F, 3)
        case 0xE1...0xEF: (second, length) = (0x80...0xBF, 3)
        case 0xF0: (second, length) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
        case 0xF4: (second, length) = (0x80...0x8F, 4)
        default: return 1
        }
        guard count - index >= length, second.contains(self[index + 1]) else { return 1 }
        return self[(index + 2)..<(index + length)].allSatisfy(\.isContinuation) ? length : 1
    }

    /// Whether U+2028 or U+2029 begins here.
    fileprivate func isLineSeparator(at index: Int) -> Bool {
        self[index] == 0xE2 && self[index + 1] == 0x80 && (self[index + 2] == 0xA8 || self[index + 2] == 0xA9)
    }
}
