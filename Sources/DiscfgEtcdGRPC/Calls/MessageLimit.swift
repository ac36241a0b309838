#if EtcdGRPC
import GRPCServing
import NIOCore
import SwiftProtobuf

/// What a message may be, checked before it is decoded.
///
/// An empty element takes two bytes on the wire and a hundred in memory, so the size alone bounds nothing. Messages that hold a value
/// have no repeated elements, except transactions, whose elements are counted. All others are small.
struct MessageLimit: Sendable {
    /// Maximum number of elements, as in the JSON gateway.
    static let elements = 16_384
    /// Maximum number of bytes of a message that holds no value, as in the JSON gateway.
    static let smallBytes = 64 << 10

    let bytes: Int
    var countsElements = false

    /// The limit of a method's messages; `large` is that of messages with a value.
    ///
    /// - Parameters:
    ///   - method: The fully qualified name, such as `etcdserverpb.KV/Range`.
    ///   - large: In bytes.
    init(of method: String, large: Int) {
        bytes = Self.withValues.contains(method) ? large : Self.smallBytes
        countsElements = method == "etcdserverpb.KV/Txn"
    }

    private static let withValues: Set<String> = [
        "etcdserverpb.KV/Range", "etcdserverpb.KV/Put", "etcdserverpb.KV/DeleteRange", "etcdserverpb.KV/Txn",
        "v3electionpb.Election/Campaign", "v3electionpb.Election/Proclaim",
    ]

    /// Decodes a message.
    ///
    /// - Throws: `GRPCStatus` with code `invalidArgument` for a message with too many elements, and SwiftProtobuf's error for
    ///   one that is malformed.
    func decode<Input: Message>(_ message: ByteBuffer) throws -> Input {
        if countsElements, message.withUnsafeReadableBytes({ ElementCount(of: $0).count }) > Self.elements {
            throw GRPCStatus(.invalidArgument, "discfg: more than \(Self.elements) elements in a request")
        }
        return try Input(serializedBytes: ReceivedMessage(message))
    }
}

/// The number of comparisons and operations of a transaction and of those nested in it, at least; read without decoding them.
///
/// What is malformed ends the count, as it ends the decoding. Source: <https://protobuf.dev/programming-guides/encoding/>.
struct ElementCount {
    private(set) var count = 0
    private let bytes: UnsafeRawBufferPointer

    /// Maximum nesting depth of messages; SwiftProtobuf decodes no deeper.
    private static let maximumDepth = 100

    init(of transaction: UnsafeRawBufferPointer) {
        bytes = transaction
        _ = addTransaction(0..<transaction.count, depth: 0)
    }

    private mutating func addTransaction(_ part: Range<Int>, depth: Int) -> Bool {
        forEachMessage(in: part) { count, number, message in
            guard (1...3).contains(number) else { return true }
            count.count += 1
            // 1 is a comparison; the others are operations.
            return number == 1 || count.addOperation(message, depth: depth + 1)
        }
    }

    private mutating func addOperation(_ part: Range<Int>, depth: Int) -> Bool {
        guard depth < Self.maximumDepth else { return false }
        return forEachMessage(in: part) { count, number, message in
            number != 4 || count.addTransaction(message, depth: depth + 1)
        }
    }

    /// Calls `body` with the number and the place of each field that can be a message, until it returns `false`.
    ///
    /// - Returns: Whether all of the part was read.
    private mutating func forEachMessage(
        in part: Range<Int>, _ body: (inout ElementCount, UInt64, Range<Int>) -> Bool
    ) -> Bool {
        var position = part.lowerBound
        while position < part.upperBound {
            guard let tag = varint(at: &position, before: part.upperBound) else { return false }
            var length = 0
            switch tag & 7 {
            case 0: guard varint(at: &position, before: part.upperBound) != nil else { return false }
            case 1: length = 8
            case 2:
                guard let size = varint(at: &position, before: part.upperBound),
                    let size = Int(exactly: size), size <= part.upperBound - position
                else { return false }
                length = size
            case 3, 4: break
            case 5: length = 4
            default: return false
            }
            guard length <= part.upperBound - position else { return false }
            if tag & 7 == 2, !body(&self, tag >> 3, position..<position + length) { return false }
            position += length
        }
        return true
    }

    private func varint(at position: inout Int, before end: Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 70, by: 7) {
            guard position < end else { return nil }
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
#endif
