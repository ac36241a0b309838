import DiscfgCore
import HTTPTypes
import Hummingbird

/// Writing keys: set, patch, delete.
extension RESTRoutes {
    private static let conditions: Set<String> = ["prevValue", "prevRevision", "message", "exact", "bare", "key"]

    func put(_ call: Call) async throws -> Response {
        let query = try Query(call, allowing: Self.conditions.union(["value", "ttl"]))
        let key = try Key(path: Query.name(of: call))
        let expiry = try Operation.Expiry(wire: query["ttl"].map { .string($0) })
        let value = try await value(of: call, query)
        return try await write(.set(key, value, expiry: expiry), to: key, action: "set", call, query)
    }

    func patch(_ call: Call) async throws -> Response {
        let query = try Query(call, allowing: Self.conditions)
        let key = try Key(path: Query.name(of: call))
        let type = call.request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased() ?? ""
        guard ["application/merge-patch+json", "application/json"].contains(type) else {
            throw DiscfgError(
                .unsupported, "A patch of type “\(type)” is not supported.",
                hint: "Send application/merge-patch+json (RFC 7396).")
        }
        let patch = try await call.json(atMost: Value.maximumLength)
        return try await write(.patch(key, patch), to: key, action: "patch", call, query)
    }

    func remove(_ call: Call) async throws -> Response {
        let name = try Query.name(of: call)
        guard !KeyName.isDirectory(name) else { return try await removeTree(name, call) }
        let query = try Query(call, allowing: Self.conditions)
        let key = try Key(path: name)
        return try await write(.delete(key), to: key, action: "delete", call, query)
    }

    private func removeTree(_ directory: String, _ call: Call) async throws -> Response {
        try call.refuseConditions()
        let query = try Query(call, allowing: ["recursive", "message", "exact", "bare", "key"])
        guard try query.flag("recursive") else {
            throw DiscfgError.invalid(
                "“\(directory)” is a directory.", hint: "Add ?recursive to delete all that is in it.")
        }
        let transaction = Transaction(
            then: [.deleteAll(try .below(directory))], message: query["message"] ?? "")
        let result = try await store(for: call).commit(transaction, to: try call.config)
        let envelope = Envelope(
            action: "delete", deleted: result.outcomes.first?.previous.count ?? 0, revision: result.revision)
        let style = try style(query)
        return .json { envelope.write(to: &$0, style) }
    }

    /// Carries out one operation under the request's conditions.
    private func write(_ operation: Operation, to key: Key, action: String, _ call: Call, _ query: Query) async throws
        -> Response
    {
        let config = try call.config
        let asked = try conditions(of: call, query, for: key)
        // Where the caller asks for nothing else, deleting what is absent is an error of its own.
        let isPlainDelete = action == "delete" && !asked.contains(Precondition(key, .present))
        let conditions = isPlainDelete ? asked + [Precondition(key, .present)] : asked
        let transaction = Transaction(
            if: conditions, then: [operation], message: query["message"] ?? "")
        let result = try await store(for: call).commit(transaction, to: config)
        if isPlainDelete, result.failed?.test == .present { throw DiscfgError.noKey(key, in: config) }
        let outcome = try result.orThrow().outcomes.first ?? .init()
        let envelope = Envelope(
            action: action, item: outcome.item, previous: outcome.previous.first, revision: result.revision)
        var headers: HTTPFields = [:]
        if let item = outcome.item { headers[.eTag] = EntityTag(item).description }
        let cameToBe = outcome.item != nil && outcome.previous.isEmpty
        let style = try style(query)
        return .json(status: cameToBe ? .created : .ok, headers: headers) { envelope.write(to: &$0, style) }
    }

    private func conditions(of call: Call, _ query: Query, for key: Key) throws -> [Precondition] {
        var tests: [Precondition.Test] = []
        if let field = call.request.headers[.ifNoneMatch] {
            guard field == "*" else {
                throw DiscfgError.invalid(
                    "If-None-Match has “\(field)”, which no write can ask.", hint: "Send *, or use If-Match.")
            }
            tests.append(.absent)
        }
        if let field = call.request.headers[.ifMatch] { tests.append(try EntityTag.test(field)) }
        if let value = query["prevValue"] { tests.append(.value(Array(value.utf8))) }
        if let revision = try query.integer("prevRevision") { tests.append(.revision(revision)) }
        return tests.map { Precondition(key, $0) }
    }

    /// The value that a request carries: its body with the body's content type, or the parameter `value` as text.
    private func value(of call: Call, _ query: Query) async throws -> Value {
        let body = try await call.body(atMost: Value.maximumLength)
        if let text = query["value"] {
            guard body.isEmpty else {
                throw DiscfgError.invalid("The value is given twice, as parameter and as body.", hint: "Send it once.")
            }
            return Value(text)
        }
        // What curl says when nothing is said; nobody keeps a form as configuration.
        let type = call.request.headers[.contentType].flatMap {
            $0.hasPrefix("application/x-www-form-urlencoded") ? nil : $0
        }
        let isText = String(validating: body, as: UTF8.self) != nil
        return Value(bytes: body, contentType: type ?? (isText ? Value.text : Value.octets))
    }
}
