import DiscfgCore
import DiscfgEtcd
import HTTPTypes
import Hummingbird
import NIOCore

extension EtcdV3Routes {
    /// Answers with what happens to keys, until the client goes.
    ///
    /// What the client asks may come while it is answered; the end of its body ends nothing.
    func watch(_ service: EtcdService, _ call: Call) async throws(EtcdError) -> Response {
        try refuseOpenStream(call, "watch")
        var messages = try await ClientMessages<WatchMessage>(of: call)
        let (connection, answers) = (call.context.connection, call.context.answers)
        let open = OpenWatchStream(service)
        let opening = try await open.stream.answer(toFirstOf: &messages)
        return .etcdStream(
            ResponseBody { [messages] writer in
                let stream = open.stream
                for answer in opening { try await writer.write(ByteBuffer(etcdResult: answer)) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        do throws(EtcdError) {
                            var messages = messages.reader
                            while let message = try await messages.next() {
                                if let request = message.request { await stream.receive(request) }
                            }
                        } catch {
                            stream.abort(error)
                        }
                    }
                    try await writer.writeResults(within: answers, weight: \.weight) {
                        try await whileWanted(connection) { try await stream.next() }
                    }
                    group.cancelAll()
                }
                try await writer.finish(nil)
            })
    }

    /// Refuses what has no end by itself where an answer cannot be held open.
    private func refuseOpenStream(_ call: Call, _ what: String) throws(EtcdError) {
        guard call.context.mayWait else {
            throw .unsupported("\(what) cannot be held open behind this gateway; range again, or use a discfg server")
        }
    }

    /// Renews leases, one for each message.
    func keepAlive(_ service: EtcdService, _ call: Call) async throws(EtcdError) -> Response {
        let messages = try await ClientMessages<IDRequest<Int64>>(of: call)
        return .etcdStream(
            ResponseBody { writer in
                var reader = messages.reader
                try await writer.writeResults(within: call.context.answers) { () -> [LeaseKeepAliveResponse]? in
                    guard let request = try await reader.next() else { return nil }
                    return [try await service.leaseKeepAlive(request.id)]
                }
                try await writer.finish(nil)
            })
    }

    /// Answers with the leader, and each time it changes, until the client disconnects.
    func observe(_ service: EtcdService, _ call: Call) async throws(EtcdError) -> Response {
        try refuseOpenStream(call, "observe")
        let name = try NameRequest(body: try await body(of: call)).bytes
        let connection = call.context.connection
        return .etcdStream(
            ResponseBody { writer in
                let observer = ElectionObserver(name, service)
                try await writer.writeResults(within: call.context.answers) {
                    try await whileWanted(connection) { try await observer.next() }.map { [$0] }
                }
                try await writer.finish(nil)
            })
    }

    /// Answers with all keys.
    func snapshot(_ service: EtcdService, _ call: Call) async throws(EtcdError) -> Response {
        _ = try EmptyRequest(body: try await body(of: call))
        let snapshot = try await EtcdSnapshot(service)
        return .etcdStream(
            ResponseBody { writer in
                try await writer.writeResults(within: call.context.answers) {
                    try await whileWanted(call.context.connection) { try await snapshot.next() }.map { [$0] }
                }
                try await writer.finish(nil)
            })
    }

    /// Adds a call that waits, for as long as the caller does.
    func waiting<Request: EtcdDecodable, Answer: EtcdEncodable>(
        _ path: String, to table: RouteTable, _ request: Request.Type = Request.self,
        _ handler: @escaping @Sendable (EtcdService, Request) async throws(EtcdError) -> Answer
    ) {
        on(path, to: table) { service, call throws(EtcdError) in
            let request = try Request(body: try await body(of: call))
            let connection = call.context.connection
            do {
                let answer = try await whileWanted(connection) { try await handler(service, request).json }
                return answer.map { .etcd($0) } ?? .etcd(EtcdError.stopped)
            } catch {
                throw EtcdError(answering: error)
            }
        }
    }
}

/// A stream of watches that is closed with its last user, also where its answer is never written.
private final class OpenWatchStream: Sendable {
    let stream: WatchStream

    init(_ service: EtcdService) { stream = WatchStream(service) }

    deinit { stream.close() }
}

extension WatchStream {
    /// The answer to the first message, where that makes a watch and is known already.
    ///
    /// It is awaited before the head is sent, as in etcd: clients take the head to say that nothing is missed from then on.
    fileprivate func answer(
        toFirstOf messages: inout ClientMessages<WatchMessage>
    ) async throws(EtcdError) -> [WatchResponse] {
        guard case .create? = messages.first?.request, let request = messages.takeFirst()?.request else { return [] }
        await receive(request)
        return try await next() ?? []
    }
}

/// Runs something that waits; gives `nil` when it does, and when the client goes or the server shuts down first.
private func whileWanted<Result: Sendable>(
    _ connection: Connection, _ wait: @escaping @Sendable () async throws -> Result?
) async throws -> Result? {
    do {
        return try await untilShutdown { try await connection.whileOpen(wait) ?? nil } ?? nil
    } catch let error as EtcdError where error.code == .canceled && !Task.isCancelled {
        return nil
    }
}

extension ResponseBodyWriter {
    /// Writes answers, each as a line, until there are no more; an error is the last line.
    @concurrent
    fileprivate mutating func writeResults<Answer: EtcdEncodable>(
        within budget: MemoryBudget, weight: (Answer) -> Int = { _ in 0 },
        _ next: @concurrent () async throws -> [Answer]?
    ) async throws {
        do {
            while let answers = try await next() { try await writeLines(answers, within: budget, weight: weight) }
        } catch let error as EtcdError where !Task.isCancelled {
            try await write(ByteBuffer(etcdFailure: error))
        }
    }

    /// Writes answers, each in a chunk of its own: there are clients that take a chunk to be one answer.
    ///
    /// - Throws: `EtcdError` if there is not enough memory for an answer.
    @concurrent
    private mutating func writeLines<Answer: EtcdEncodable>(
        _ answers: [Answer], within budget: MemoryBudget, weight: (Answer) -> Int
    ) async throws {
        let held = answers.reduce(0) { $0 + weight($1) }
        for answer in answers {
            let weight = weight(answer)
            let isWritten = try await writePart(of: weight, holding: held, within: budget) {
                ByteBuffer(etcdResult: answer, weight: weight)
            }
            guard isWritten else { throw EtcdError.streamWithoutMemory }
        }
    }
}
