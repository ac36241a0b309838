import DiscfgCore
import DiscfgEtcd
import HTTPTypes
import Hummingbird
import NIOCore

/// `/v2/keys`: reading, writing and watching.
struct EtcdV2Keys: Sendable {
    /// A value whose every byte is escaped, with some more parameters.
    private static let maximumBody = 3 * Value.maximumLength + (64 << 10)

    let routes: EtcdV2Routes
    let store: CallerService
    let config: ConfigName

    func answer(_ call: Call, _ path: ArraySlice<UInt8>) async throws -> Response {
        let method = call.request.method
        if let refusal = call.allow(.head, .get, .put, .post, .delete) { return refusal }
        let form = try await form(of: call)
        let parameters = try EtcdV2Parameters(form, method: method)
        let path = try DirectoryPath(path)
        switch method {
        case .put: return try await write(parameters.putting, at: path, parameters)
        case .post: return try await write(parameters.posting, at: path, parameters)
        case .delete: return try await write(parameters.deleting, at: path, parameters)
        default: break
        }
        if parameters.waits { return try await watch(path, parameters, call) }
        let result = try await store.read(path, isRecursive: parameters.isRecursive, in: config)
        routes.counters.note(result, of: .get)
        return response(to: result)
    }

    /// The parameters of the body, then those of the query.
    private func form(of call: Call) async throws -> EtcdV2Form {
        var form = EtcdV2Form()
        let hasForm = call.request.method == .put || call.request.method == .post
        if hasForm, try Self.isForm(call.request.headers[.contentType]) {
            try form.add(try await call.body(atMost: Self.maximumBody))
        }
        if let query = call.request.uri.query { try form.add(query.utf8) }
        return form
    }

    /// Whether a body is a form; etcd ignores any other.
    private static func isForm(_ type: String?) throws(EtcdV2Error) -> Bool {
        guard let type else { return false }
        let parts = type.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmed)
        // As Go's `mime.ParseMediaType` has it.
        guard parts.dropFirst().allSatisfy({ $0.isEmpty && $0.endIndex == type.endIndex || $0.contains("=") }) else {
            throw .invalidForm("mime: invalid media parameter")
        }
        return parts[0].lowercased() == "application/x-www-form-urlencoded"
    }

    private func write(
        _ operation: DirectoryWrite.Operation, at path: DirectoryPath, _ parameters: EtcdV2Parameters
    ) async throws -> Response {
        let write = DirectoryWrite(operation, at: path, timeToLive: parameters.duration)
        let result = try await store.carryOut(write, in: config)
        routes.counters.note(result, of: write.action)
        let isShort = parameters.isShort && write.action != .delete && write.action != .compareAndDelete
        return response(to: result, isShort: isShort)
    }

    private func response(to result: DirectoryResult, isShort: Bool = false) -> Response {
        switch result {
        case .failure(let refusal): return EtcdV2Error(refusal).response(cluster: routes.clusterID)
        case .success(let event):
            let size = (event.node.value?.count ?? 0) + (event.previous?.value?.count ?? 0)
            var body = ByteBufferAllocator().buffer(capacity: size + 256)
            body.writeEvent(event, isShort: isShort)
            return Response(
                status: event.hasCreated ? .created : .ok, headers: headers(at: event.revision),
                body: ResponseBody(byteBuffer: body))
        }
    }

    /// The headers of a success: the index of the store, and what stands for Raft's.
    func headers(at revision: Revision) -> HTTPFields {
        let index = String(revision)
        return [
            .contentType: "application/json", .etcdClusterID: routes.clusterID, .etcdIndex: index, .raftIndex: index,
            .raftTerm: "1",
        ]
    }

    private func watch(
        _ path: DirectoryPath, _ parameters: EtcdV2Parameters, _ call: Call
    ) async throws -> Response {
        let first = parameters.waitIndex.map { Revision(clamping: $0) }
        let watch = DirectoryWatch(path, isRecursive: parameters.isRecursive)
        switch try await store.follow(watch, from: first, in: config) {
        case .failure(let refusal): return EtcdV2Error(refusal).response(cluster: routes.clusterID)
        case .success(let feed):
            let stream = EtcdV2Watch(
                feed: feed, streams: parameters.streams, counters: routes.counters,
                connection: call.context.connection, answers: call.context.answers,
                mayWait: call.context.mayWait)
            return Response(status: .ok, headers: headers(at: feed.start), body: stream.body)
        }
    }
}

extension DirectoryEvent {
    /// Whether something came to be where nothing was.
    fileprivate var hasCreated: Bool { action == .create || action == .set && previous == nil }
}
