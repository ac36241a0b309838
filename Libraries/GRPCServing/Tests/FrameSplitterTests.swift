import NIOCore
import Testing

@testable import GRPCServing

@Suite("PING and RST_STREAM among the bytes of a client")
struct FrameSplitterTests {
    private static let preface = [UInt8]("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let settings = frame(4, payload: [])

    /// A frame of HTTP/2.
    private static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, payload: [UInt8]) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, stream] + payload
    }

    private static func ping(_ number: UInt8, flags: UInt8 = 0) -> [UInt8] {
        frame(6, flags: flags, payload: [0, 0, 0, 0, 0, 0, 0, number])
    }

    @Test(
        "PING and RST_STREAM are found however the bytes are cut, and nothing is lost", arguments: [1, 2, 7, 13, 4096])
    func split(size: Int) {
        let reset = Self.frame(3, stream: 5, payload: [0, 0, 0, 8])
        let data = Self.frame(0, stream: 5, payload: [UInt8](repeating: 6, count: 300))
        let acknowledged = Self.ping(2, flags: 1)
        let malformed = Self.frame(6, payload: [1])
        let bytes =
            Self.preface + Self.settings + Self.ping(1) + data + reset + acknowledged + malformed + Self.ping(3)
        var splitter = FrameSplitter()
        var (others, found): ([UInt8], [String]) = ([], [])
        for start in stride(from: 0, to: bytes.count, by: size) {
            for piece in splitter.split(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)])) {
                switch piece {
                case .ping(let opaque, let frame):
                    #expect(Array(frame.readableBytesView) == Self.ping(UInt8(opaque)))
                    found.append("ping \(opaque) after \(others.count)")
                case .reset(let stream, let frame):
                    #expect(Array(frame.readableBytesView) == reset)
                    found.append("reset \(stream) after \(others.count)")
                case .other(let part): others += part.readableBytesView
                }
            }
        }
        #expect(others == Self.preface + Self.settings + data + acknowledged + malformed)
        let first = Self.preface.count + Self.settings.count
        let second = first + data.count
        let third = second + acknowledged.count + malformed.count
        #expect(found == ["ping 1 after \(first)", "reset 5 after \(second)", "ping 3 after \(third)"])
    }
}
