#if EtcdGRPC
import GRPCServing
import NIOCore
import SwiftProtobuf

/// The requests of a stream.
struct EtcdRequests<Input: Message>: Sendable {
    let requests: GRPCRequests
    let limit: MessageLimit

    /// Calls the body with each request, until the client has no more.
    func forEach(_ body: (Input) async throws -> Void) async throws {
        for try await bytes in requests { try await body(try limit.decode(bytes)) }
    }

    /// The one request of a method that streams only its responses.
    ///
    /// - Throws: `GRPCStatus` with code `unimplemented` if there is none, or another.
    func only() async throws -> Input {
        var iterator = requests.makeAsyncIterator()
        guard let bytes = try await iterator.next() else { throw GRPCStatus(.unimplemented, "no request") }
        let input: Input = try limit.decode(bytes)
        guard try await iterator.next() == nil else { throw GRPCStatus(.unimplemented, "more than one request") }
        return input
    }
}

/// The responses of a stream.
struct EtcdResponses<Output: Message>: Sendable {
    let responses: GRPCResponses

    func write(_ output: Output) async throws { try await write([output]) }

    func write(_ outputs: [Output]) async throws {
        try await responses.write(outputs.map { try ($0.serializedBytes() as EncodedMessage).message })
    }
}

/// The bytes of a request, for decoding.
struct ReceivedMessage: SwiftProtobufContiguousBytes {
    private var buffer: ByteBuffer

    init(_ buffer: ByteBuffer) { self.buffer = buffer }

    init(repeating byte: UInt8, count: Int) { buffer = ByteBuffer(repeating: byte, count: count) }

    init<Bytes: Sequence>(_ sequence: Bytes) where Bytes.Element == UInt8 { buffer = ByteBuffer(bytes: sequence) }

    var count: Int { buffer.readableBytes }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try buffer.withUnsafeReadableBytes(body)
    }

    mutating func withUnsafeMutableBytes<Result>(
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try buffer.withUnsafeMutableReadableBytes(body)
    }
}

/// A response that is encoded where it is sent from.
struct EncodedMessage: SwiftProtobufContiguousBytes {
    private(set) var message: GRPCMessage

    init(repeating byte: UInt8, count: Int) {
        message = GRPCMessage(count: count)
        if byte != 0 { message.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = byte } } }
    }

    init<Bytes: Sequence>(_ sequence: Bytes) where Bytes.Element == UInt8 { message = GRPCMessage(sequence) }

    var count: Int { message.count }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try message.withUnsafeBytes(body)
    }

    mutating func withUnsafeMutableBytes<Result>(
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try message.withUnsafeMutableBytes(body)
    }
}
#endif
