#if EtcdGRPC
import GRPCCore
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

/// A stream in both directions, as its client sees it.
struct Talk<Question: Sendable, Answer: Sendable> {
    fileprivate let questions: AsyncStream<Question>.Continuation
    fileprivate var answers: RPCAsyncSequence<Answer, any Error>.AsyncIterator

    func ask(_ question: Question) { questions.yield(question) }

    /// Says that there are no more questions.
    func finish() { questions.finish() }

    /// The next answer; fails where the stream has ended.
    mutating func next() async throws -> Answer { try #require(await answers.next(isolation: #isolation)) }

    /// Waits for the end; fails where there is one more answer.
    mutating func expectEnd(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let answer = try await answers.next(isolation: #isolation)
        #expect(answer == nil, sourceLocation: sourceLocation)
    }
}

extension EtcdGRPCFixture {
    /// Opens a stream of watches for the time of the body.
    func watching(
        _ body:
            @escaping @Sendable (inout Talk<Etcdserverpb_WatchRequest, Etcdserverpb_WatchResponse>) async throws -> Void
    ) async throws {
        let (stream, questions) = AsyncStream<Etcdserverpb_WatchRequest>.makeStream()
        try await watch.watch { writer in
            for await question in stream { try await writer.write(question) }
        } onResponse: { response in
            defer { questions.finish() }
            var talk = Talk(questions: questions, answers: response.messages.makeAsyncIterator())
            try await body(&talk)
        }
    }

    /// Opens a stream that keeps leases alive for the time of the body.
    func keepingAlive(
        _ body:
            @escaping @Sendable (
                inout Talk<Etcdserverpb_LeaseKeepAliveRequest, Etcdserverpb_LeaseKeepAliveResponse>
            ) async throws -> Void
    ) async throws {
        let (stream, questions) = AsyncStream<Etcdserverpb_LeaseKeepAliveRequest>.makeStream()
        try await lease.leaseKeepAlive { writer in
            for await question in stream { try await writer.write(question) }
        } onResponse: { response in
            defer { questions.finish() }
            var talk = Talk(questions: questions, answers: response.messages.makeAsyncIterator())
            try await body(&talk)
        }
    }
}

extension Talk where Question == Etcdserverpb_WatchRequest, Answer == Etcdserverpb_WatchResponse {
    /// Asks for a watch, and takes the answer that it was made.
    mutating func create(
        _ key: String, _ change: (inout Etcdserverpb_WatchCreateRequest) -> Void = { _ in }
    ) async throws -> Etcdserverpb_WatchResponse {
        ask(
            .with {
                $0.createRequest.key = bytes(key)
                change(&$0.createRequest)
            })
        return try await next()
    }

    mutating func cancel(_ id: Int64) { ask(.with { $0.cancelRequest.watchID = id }) }

    /// The next events, as text, with the watch that they are of.
    mutating func events() async throws -> (id: Int64, events: [String], revision: Int64) {
        let answer = try await next()
        return (answer.watchID, answer.events.map(\.summary), answer.header.revision)
    }
}
#endif
