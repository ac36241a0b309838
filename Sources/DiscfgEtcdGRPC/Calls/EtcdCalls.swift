#if EtcdGRPC
import DiscfgCore
import DiscfgEtcd
import GRPCServing
import NIOCore
import NIOHPACK
import SwiftProtobuf

/// What the calls of all of etcd's services have in common: which config they are about, who the caller is, and what a message
/// may be.
struct EtcdCalls: Sendable {
    typealias Methods = [String: GRPCMethod]

    /// The metadata of a request that is about another config than the server's.
    static let configKey = "discfg-cfg"

    /// The metadata in which a client claims a name, percent-encoded; the same as the header field of REST.
    static let authorKey = "x-discfg-author"

    let api: EtcdAPI
    /// Maximum number of bytes of a message with a value.
    let messageBytes: Int
    /// The memory for answers; a stream ends if it does not suffice for events.
    let memory: MemoryBudget

    /// All methods, by path.
    var methods: Methods {
        [kv, watch, lease, cluster, maintenance, users, roles, lock, election].reduce(into: [:]) { all, some in
            all.merge(some) { first, _ in first }
        }
    }

    /// The service for the caller, of the config that a call is about.
    ///
    /// gRPC is served to clients directly, not behind a gateway, so a caller's name is never proven.
    private func service(_ metadata: HPACKHeaders) throws(EtcdError) -> EtcdService {
        do throws(DiscfgError) {
            let config = try metadata.first(name: Self.configKey).map { name throws(DiscfgError) in
                try ConfigName(name)
            }
            let claim = try Caller.claim(in: metadata[Self.authorKey])
            return api.acting(as: .claiming(claim ?? ""), in: config)
        } catch {
            throw EtcdError(answering: error)
        }
    }

    /// A method of one request and one response.
    ///
    /// - Parameters:
    ///   - path: Such as `etcdserverpb.KV/Range`.
    ///   - waits: Whether the call may wait for long; it is given up when its client is gone, and when the server stops.
    ///   - isQuick: Whether a request is usually answered from memory.
    ///   - answer: Answers a request.
    /// - Returns: The method, by its path.
    func unary<Input: Message, Output: Message>(
        _ path: String, waits: Bool = false, isQuick: @escaping @Sendable (Input) -> Bool = { _ in false },
        _ answer: @escaping @Sendable (EtcdService, Input, GRPCCall) async throws -> Output
    ) -> Methods {
        let limit = MessageLimit(of: path, large: messageBytes)
        let method = GRPCMethod.unary(maximumBytes: limit.bytes, waits: waits) { bytes, call in
            let input: Input = try limit.decode(bytes)
            let service = try service(call.metadata)
            return GRPCWork(isQuick: isQuick(input)) {
                let output = try await answer(service, input, call)
                return try (output.serializedBytes() as EncodedMessage).message
            }
        }
        return ["/" + path: method]
    }

    /// A method of one request and one response that needs nothing of the call.
    func unary<Input: Message, Output: Message>(
        _ path: String, waits: Bool = false, isQuick: @escaping @Sendable (Input) -> Bool = { _ in false },
        _ answer: @escaping @Sendable (EtcdService, Input) async throws -> Output
    ) -> Methods {
        unary(path, waits: waits, isQuick: isQuick) { service, input, _ in try await answer(service, input) }
    }

    /// A method that is refused.
    func refusal<Input: Message>(
        _ path: String, of: Input.Type, _ refuse: @escaping @Sendable (EtcdService, Input) throws -> Never
    ) -> Methods {
        unary(path) { (service, input: Input) -> Input in try refuse(service, input) }
    }

    /// A method of any number of requests and responses.
    func stream<Input: Message, Output: Message>(
        _ path: String,
        _ body: @escaping @Sendable (EtcdService, EtcdRequests<Input>, EtcdResponses<Output>) async throws -> Void
    ) -> Methods {
        let limit = MessageLimit(of: path, large: messageBytes)
        let method = GRPCMethod.stream(maximumBytes: limit.bytes) { call in
            let service = try service(call.metadata)
            return { requests, responses in
                try await body(
                    service, EtcdRequests(requests: requests, limit: limit), EtcdResponses(responses: responses))
            }
        }
        return ["/" + path: method]
    }
}

extension Dictionary {
    static func + (left: Dictionary, right: Dictionary) -> Dictionary { left.merging(right) { first, _ in first } }
}
#endif
