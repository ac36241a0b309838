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
        let messages = try await ClientMessages<WatchMessage>(of: call)
        let connection = call.context.connection
        return .etcdStream(
            ResponseBody { writer in
                let stream = WatchStream(service)
                defer { stream.close() }
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
                    try await writer.writeResults {
                        try await whileWanted(connection) { try await stream.next() }
                    }
                    group.cancelAll()
                }
                try await writer.finish(nil)
            })
    }

    /// Renews leases, one for each message.
    func keepAlive(_ service: EtcdService, _ call: Call) async throws(EtcdError) -> Response {
        let messages = try await ClientMessages<IDRequest<Int64>>(of: call)
        return .etcdStream(
            ResponseBody { writer in
                var reader = messages.reader
                try await writer.writeResults { () -> [LeaseKeepAliveResponse]? in
                    guard let request = try await reader.next() else { return nil }
                    return [try await service.leaseKeepAlive(request.id)]
                }
                try await writer.finish(nil)
            })
    }

    /// Answers with who leads, as it changes, until the client goes.
    func observe(_ service: EtcdService, _ call: Call) async throws(EtcdError) -> Response {
        let name = try NameRequest(body: try await body(of: call)).bytes
        let connection = call.context.connection
        return .etcdStream(
            ResponseBody { writer in
                let observer = ElectionObserver(name, service)
                try await writer.writeResults {
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
                try await writer.writeResults {
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
        _ next: @concurrent () async throws -> [Answer]?
    ) async throws {
        var buffer = ByteBuffer()
        do {
            while let answers = try await next() {
                buffer.clear()
                buffer.writeResults(answers)
                try await write(buffer)
            }
        } catch let error as EtcdError where !Task.isCancelled {
            buffer.clear()
            buffer.writeFailure(error)
            try await write(buffer)
        }
    }
}
