#if EtcdGRPC
import DiscfgEtcd
import DiscfgTestSupport
import Foundation
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

/// The time to read a message of a gRPC client must grow with its size.
@Suite struct MessageGrowthTests {
    /// A message in which the same field comes again and again.
    private static func repeated(_ description: String, _ field: [UInt8]) -> GrowthShape {
        GrowthShape(description) { size in
            Array(repeatElement(field, count: max(1, size / field.count)).joined())
        }
    }

    /// A message in a message in a message.
    private static func nested(_ description: String, field: UInt8, wrapping inner: UInt8? = nil) -> GrowthShape {
        GrowthShape(description) { size in
            var bytes: [UInt8] = []
            // The innermost last; each level is written before what it holds, so build from the inside in pieces.
            var pieces: [[UInt8]] = []
            var length = 0
            while length < size, pieces.count < 5000 {
                for tag in [inner, field].compactMap(\.self) {
                    var piece = [tag]
                    var rest = length
                    while rest >= 128 {
                        piece.append(UInt8(rest & 127 | 128))
                        rest >>= 7
                    }
                    piece.append(UInt8(rest))
                    length += piece.count
                    pieces.append(piece)
                }
            }
            for piece in pieces.reversed() { bytes += piece }
            return bytes
        }
    }

    static let messages: [GrowthShape] = [
        repeated("reads", [0x12, 0x05, 0x0A, 0x03, 0x0A, 0x01, 0x61]),
        repeated("writes", [0x12, 0x08, 0x12, 0x06, 0x0A, 0x01, 0x61, 0x12, 0x01, 0x62]),
        repeated("comparisons", [0x0A, 0x03, 0x1A, 0x01, 0x61]),
        repeated("empty operations", [0x12, 0x00]),
        repeated("unknown fields of no length", [0xFA, 0x01, 0x00]),
        repeated("unknown numbers", [0xF8, 0x01, 0x01]),
        repeated(
            "long ways to write a small number", [0xF8, 0x01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]),
        repeated("groups without their end", [0xFB, 0x01]),
        repeated("groups", [0xFB, 0x01, 0xFC, 0x01]),
        nested("transactions in transactions", field: 0x12, wrapping: 0x22),
        GrowthShape("transactions that replace each other in an operation") { size in
            let replaced = Array(repeatElement([0x22, 0x02, 0x12, 0x00] as [UInt8], count: max(1, size / 4)).joined())
            return [0x12] + varint(replaced.count) + replaced
        },
        GrowthShape("a long key") { size in
            let length = max(1, size)
            return [0x0A] + varint(length + 6) + [0x1A] + varint(length) + [UInt8](repeating: 0x61, count: length)
        },
    ]

    private static func varint(_ number: Int) -> [UInt8] {
        var (rest, bytes) = (number, [UInt8]())
        while rest >= 128 {
            bytes.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    @Test("the time to read a transaction grows with its size", arguments: messages)
    func transaction(_ shape: GrowthShape) throws {
        try Growth.check(shape) { bytes in
            _ = try TxnRequest(Etcdserverpb_TxnRequest(serializedBytes: bytes))
        }
    }

    @Test("a field of another wire type leaves the operation that came before it")
    func otherWireType() throws {
        let operation = try Etcdserverpb_RequestOp(
            serializedBytes: [0x0A, 0x03, 0x0A, 0x01, 0x61, 0x10, 0x01] as [UInt8])
        #expect(operation.requestRange.key == Data("a".utf8))
    }

    @Test("the time to read a request to watch grows with its size")
    func watch() throws {
        for shape in [
            Self.repeated("requests that replace each other", [0x0A, 0x03, 0x0A, 0x01, 0x61]),
            Self.repeated("filters", [0x0A, 0x02, 0x28, 0x01]),
            GrowthShape("packed filters") { size in
                let filters = [0x2A] + Self.varint(size) + [UInt8](repeating: 1, count: size)
                return [0x0A] + Self.varint(filters.count) + filters
            },
        ] {
            try Growth.check(shape) { bytes in
                _ = try Etcdserverpb_WatchRequest(serializedBytes: bytes) as Etcdserverpb_WatchRequest
            }
        }
    }
}
#endif
