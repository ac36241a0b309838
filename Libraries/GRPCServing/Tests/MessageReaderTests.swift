import NIOCore
import Testing

@testable import GRPCServing

@Suite("Messages in the bytes of a call")
struct MessageReaderTests {
    private static func message(_ bytes: [UInt8]) -> [UInt8] {
        [0] + withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes
    }

    @Test("Messages are found however the bytes are cut", arguments: [1, 2, 5, 6, 7, 100])
    func cuts(size: Int) throws {
        let messages: [[UInt8]] = [[], [1], [UInt8](repeating: 2, count: 20), [], [3, 4]]
        let bytes = messages.flatMap(Self.message)
        var reader = MessageReader(maximumBytes: 20)
        var found: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.append(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
            while reader.isReady { found.append(Array(try #require(try reader.next()).readableBytesView)) }
            #expect(try reader.next() == nil)
        }
        #expect(found == messages)
        #expect(reader.held == 0)
    }

    @Test("A message that is too large is refused as soon as its length is known")
    func tooLarge() {
        var reader = MessageReader(maximumBytes: 9)
        reader.append(ByteBuffer(bytes: [0, 0, 0, 0, 10]))
        #expect(reader.isReady)
        let error = #expect(throws: GRPCStatus.self) { try reader.next() }
        #expect(error?.code == .resourceExhausted)
        #expect(error?.message == "grpc: received message larger than max (10 vs. 9)")
    }

    @Test("A compressed message, and a flag that means nothing, are refused", arguments: [1, 2, 255] as [UInt8])
    func flags(flag: UInt8) {
        var reader = MessageReader(maximumBytes: 9)
        reader.append(ByteBuffer(bytes: [flag]))
        #expect(reader.isReady)
        #expect(throws: GRPCStatus.self) { try reader.next() }
    }
}

@Suite("Fields of a call")
struct FieldTests {
    @Test(
        "A timeout has digits and a unit",
        arguments: [
            ("1S", .seconds(1)), ("20m", .milliseconds(20)), ("3H", .hours(3)), ("4M", .minutes(4)),
            ("5u", .microseconds(5)), ("0n", .nanoseconds(0)), ("99999999H", .hours(365 * 24)), ("123456789n", nil),
            ("", nil), ("S", nil), ("1", nil), ("-1S", nil), ("1s", nil), ("1 S", nil), ("١S", nil),
        ] as [(String, TimeAmount?)])
    func timeout(text: String, timeout: TimeAmount?) {
        #expect(GRPCTimeout.parse(text) == timeout)
    }

    @Test(
        "A message is percent-encoded unless it is printable ASCII",
        arguments: [("a b~", "a b~"), ("100 %", "100 %25"), ("a\nü", "a%0A%C3%BC"), ("\u{7F}", "%7F")])
    func message(text: String, encoded: String) {
        #expect(GRPCStatus.percentEncoded(text) == encoded)
    }
}
