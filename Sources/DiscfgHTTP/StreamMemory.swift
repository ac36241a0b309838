import DiscfgCore
import Hummingbird
import NIOCore

extension ResponseBodyWriter {
    /// Writes a part of a stream, which counts as memory of an answer until most of it was sent.
    ///
    /// - Parameters:
    ///   - bytes: About how many bytes are encoded.
    ///   - held: The bytes that the stream holds until the part is sent, without those of `encode`.
    ///   - budget: The memory for answers.
    ///   - encode: The part.
    /// - Returns: False if nothing was written because the memory does not suffice; the stream must end then.
    /// - Throws: What writing throws, and `CancellationError`.
    @concurrent
    mutating func writePart(
        of bytes: Int, holding held: Int, within budget: MemoryBudget, _ encode: @escaping @Sendable () -> ByteBuffer
    ) async throws -> Bool {
        let part = try await LongWork.run(onBytes: bytes, slots: .forStreams) { _ throws(DiscfgError) in encode() }
        guard let hold = budget.hold(part: held + part.readableBytes) else { return false }
        defer { hold.release() }
        try await write(part)
        // A large part is taken whole as soon as the connection has sent the one before it. The next write waits until
        // it is sent, too; nothing is sent for an empty one.
        if part.readableBytes > RequestLimits.smallAnswer { try await write(ByteBuffer()) }
        return true
    }
}

extension WorkSlots {
    /// Encode the large parts of streams: apart from `LongWork.slots`, so that no request waits for all the streams.
    fileprivate static let forStreams = WorkSlots(count: 2, maximumWaiters: .max)
}
