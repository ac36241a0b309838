import NIOCore

/// Finds the messages in the bytes of a call.
///
/// Source: <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>.
struct MessageReader {
    /// Maximum number of bytes of a message.
    let maximumBytes: Int
    /// The bytes that no message was made of yet.
    private var bytes = ByteBuffer()

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// The number of bytes that no message was made of yet.
    var held: Int { bytes.readableBytes }

    /// Whether `next` returns a message, or throws.
    var isReady: Bool {
        do throws(GRPCStatus) {
            guard let length = try prefix() else { return false }
            return held >= GRPCMessage.prefixBytes + length
        } catch {
            return true
        }
    }

    /// Adds bytes that have come.
    mutating func append(_ more: ByteBuffer) {
        if bytes.readableBytes == 0 { bytes = more } else { bytes.writeImmutableBuffer(more) }
    }

    /// The next message; `nil` if it has not come as a whole.
    ///
    /// - Throws: What the call ends with: the message is too large, or not as the protocol demands.
    mutating func next() throws(GRPCStatus) -> ByteBuffer? {
        guard let length = try prefix(), held >= GRPCMessage.prefixBytes + length else { return nil }
        bytes.moveReaderIndex(forwardBy: GRPCMessage.prefixBytes)
        let message = bytes.readSlice(length: length)
        // So that the bytes of a message live no longer than the message.
        if held == 0 { bytes = ByteBuffer() }
        return message
    }

    /// The length of the next message; `nil` if its prefix has not come as a whole.
    private func prefix() throws(GRPCStatus) -> Int? {
        guard let flag = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else { return nil }
        guard flag == 0 else {
            throw GRPCStatus(
                .internalError,
                flag == 1
                    ? "grpc: compressed flag set with identity or empty encoding"
                    : "grpc: received unexpected payload format \(flag)")
        }
        guard let length = bytes.getInteger(at: bytes.readerIndex + 1, as: UInt32.self) else { return nil }
        guard Int(length) <= maximumBytes else {
            throw GRPCStatus(
                .resourceExhausted, "grpc: received message larger than max (\(length) vs. \(maximumBytes))")
        }
        return Int(length)
    }
}
