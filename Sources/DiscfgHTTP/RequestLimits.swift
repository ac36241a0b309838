package import DiscfgCore
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// What requests may hold, and how slowly their bodies may come.
package struct RequestLimits: Sendable {
    /// The bytes of all request bodies under way, and of what is made of them.
    package var bodies: MemoryBudget
    /// The bytes of all answers that their clients have not read yet.
    package var answers: MemoryBudget
    package var pace = BodyPace()
    /// Answers up to this size are not counted.
    static let smallAnswer = 64 << 10
    /// Maximum number of JSON values in one body.
    static let jsonValues = 1_000_000

    /// Limits with as much memory for answers as for bodies.
    package init(bodies: MemoryBudget = MemoryBudget()) {
        self.bodies = bodies
        answers = MemoryBudget(bodies.limit)
    }
}

/// The least rate of a request's body.
package struct BodyPace: Sendable {
    /// How long a body may take in any case.
    package var grace: Duration = .seconds(30)
    /// What has to come after that, on average.
    package var bytesPerSecond = 32 << 10

    /// How long a body may have taken when so many bytes are there.
    func patience(after bytes: Int) -> Duration {
        grace + .milliseconds(Int64(bytes) * 1000 / Int64(bytesPerSecond))
    }
}

/// Closes a connection of which a body comes too slowly.
final class BodyTimer: Sendable {
    private let channel: any Channel
    private let pace: BodyPace
    private let start = ContinuousClock.now
    private let received = Atomic(0)
    private let scheduled = Mutex<Scheduled<Void>?>(nil)

    init(_ channel: any Channel, _ pace: BodyPace) {
        self.channel = channel
        self.pace = pace
    }

    func note(_ bytes: Int) {
        guard received.add(bytes, ordering: .relaxed).oldValue == 0 else { return }
        check()
    }

    func stop() { scheduled.withLock { $0.take() }?.cancel() }

    private func check() {
        let left = start + pace.patience(after: received.load(ordering: .relaxed)) - .now
        guard left > .zero else {
            channel.close(promise: nil)
            return
        }
        let next = channel.eventLoop.scheduleTask(in: TimeAmount(left) + .milliseconds(1)) { self.check() }
        scheduled.withLock { $0 = next }
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
