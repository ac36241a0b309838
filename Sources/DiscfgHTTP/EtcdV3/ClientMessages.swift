import DiscfgEtcd
import Hummingbird
import NIOCore

/// The messages of a client's stream: JSON objects, one after the other in the body of a request.
struct ClientMessages<Message: EtcdDecodable>: Sendable {
    /// The most bytes of one message.
    private static var limit: Int { 64 << 10 }

    private var known: ArraySlice<Message>
    /// What is still to come; `nil` if that is nothing.
    private let body: RequestBody?

    /// Reads the whole body of who says how long it is, so that what cannot be understood has a status of its own.
    ///
    /// Who does not say it may send a message at a time, and be answered meanwhile.
    init(of call: Call) async throws(EtcdError) {
        guard call.request.headers[.contentLength] != nil else {
            (known, body) = ([], call.request.body)
            return
        }
        var frames = JSONFrames(limit: Self.limit)
        do {
            frames.append(try await call.body(atMost: EtcdV3Routes.maximumBody))
        } catch {
            throw EtcdError(answering: error)
        }
        var messages: [Message] = []
        while let message = try frames.message(Message.self, isLast: true) { messages.append(message) }
        (known, body) = (messages[...], nil)
    }

    /// The first message, where it is here already.
    var first: Message? { known.first }

    /// Takes out the first message, where it is here already.
    mutating func takeFirst() -> Message? { known.popFirst() }

    /// What reads the messages; it can be made once.
    var reader: Reader {
        Reader(known: known, frames: JSONFrames(limit: Self.limit), iterator: body?.makeAsyncIterator())
    }

    /// Reads messages as they come.
    struct Reader {
        fileprivate var known: ArraySlice<Message>
        fileprivate var frames: JSONFrames
        fileprivate var iterator: RequestBody.AsyncIterator?

        /// The next message; `nil` at the end.
        @concurrent
        mutating func next() async throws(EtcdError) -> Message? {
            if let message = known.popFirst() { return message }
            while iterator != nil {
                if let message = try frames.message(Message.self, isLast: false) { return message }
                do {
                    if let chunk = try await iterator?.next() {
                        frames.append(chunk.readableBytesView)
                        continue
                    }
                } catch {
                    throw EtcdError(.canceled, "the request's body stopped halfway")
                }
                iterator = nil
                return try frames.message(Message.self, isLast: true)
            }
            return nil
        }
    }
}

extension JSONFrames {
    /// The next message that is whole; at the end, nothing may be left.
    fileprivate mutating func message<Message: EtcdDecodable>(
        _: Message.Type, isLast: Bool
    ) throws(EtcdError) -> Message? {
        do {
            if let frame = try next() { return try Message(body: frame) }
        } catch {
            // As etcd's gateway does: what it cannot read of a stream is nobody's argument.
            throw EtcdError(.unknown, error.message)
        }
        if isLast, isIncomplete { throw EtcdError(.unknown, "unexpected EOF") }
        return nil
    }
}
