import DiscfgCore
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Closes a connection of which a body comes too slowly.
final class BodyTimer: Sendable {
    private let channel: any Channel
    private let pace: BodyPace
    private let start = ContinuousClock.now
    private let received = Atomic(0)
    private let state = Mutex((next: Scheduled<Void>?.none, isOver: false))

    init(_ channel: any Channel, _ pace: BodyPace) {
        self.channel = channel
        self.pace = pace
    }

    func note(_ bytes: Int) {
        guard received.add(bytes, ordering: .relaxed).oldValue == 0 else { return }
        check()
    }

    func stop() {
        let next = state.withLock { state in
            state.isOver = true
            return state.next.take()
        }
        next?.cancel()
    }

    private func check() {
        guard !state.withLock({ $0.isOver }) else { return }
        let left = start + pace.patience(after: received.load(ordering: .relaxed)) - .now
        guard left > .zero else {
            channel.close(promise: nil)
            return
        }
        let next = channel.eventLoop.scheduleTask(in: TimeAmount(left) + .milliseconds(1)) { self.check() }
        // One that is stopped meanwhile finds out when it is called.
        state.withLock { $0.next = next }
    }
}

extension Response {
    /// The answer, which holds memory until it is written; `nil` if there is not enough.
    ///
    /// `mayRefuse` says that the request changed nothing, so that it may be answered otherwise.
    func held(by budget: MemoryBudget, mayRefuse: Bool) -> Response? {
        guard let length = body.contentLength, length > RequestLimits.smallAnswer else { return self }
        let hold = MemoryHold(of: budget)
        if !hold.take(length) {
            guard !mayRefuse else { return nil }
            hold.overdraw(length)
        }
        var response = self
        response.body = ResponseBody(contentLength: length) { [body] writer in
            defer { hold.release() }
            try await body.write(SlicingWriter(inner: writer))
        }
        return response
    }
}

extension ResponseBody {
    /// The body of a stream, which keeps what its request holds.
    func releasing(_ hold: MemoryHold) -> ResponseBody {
        ResponseBody(contentLength: contentLength) { writer in
            defer { hold.release() }
            try await self.write(writer)
        }
    }
}

/// Writes in slices, each when the client has taken those before, so that the end of the writing is about the end of the reading.
private struct SlicingWriter: ResponseBodyWriter {
    var inner: any ResponseBodyWriter

    @concurrent
    mutating func write(_ buffer: ByteBuffer) async throws {
        var rest = buffer
        while let slice = rest.readSlice(length: min(rest.readableBytes, RequestLimits.smallAnswer)),
            slice.readableBytes > 0
        {
            try await inner.write(slice)
        }
    }

    @concurrent
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await inner.finish(trailingHeaders)
    }
}
