import DiscfgCore
import HTTPTypes
import Hummingbird
import NIOCore

/// Reading keys: one, as an envelope or bare, and lists.
extension RESTRoutes {
    func addKeys(to table: RouteTable) {
        for path in ["/v1/:cfg/keys", "/v1/:cfg/keys/**"] {
            table.on(.get, path, read)
            table.on(.put, path, put)
            table.on(.patch, path, patch)
            table.on(.delete, path, remove)
        }
    }

    private func read(_ call: Call) async throws -> Response {
        let name = try Query.name(of: call)
        return KeyName.isDirectory(name) ? try await list(name, call) : try await get(name, call)
    }

    private func get(_ name: String, _ call: Call) async throws -> Response {
        let allowed: Set = ["raw", "rev", "path", "wait", "after", "log", "exact", "consistent", "bare", "key"]
        let query = try Query(call, allowing: allowed)
        let (key, config) = (try Key(path: name), try call.config)
        let revision = try query.integer("rev")
        let wantsRaw = try query.flag("raw") || call.wantsBareValue
        let wait = try query.duration("wait")
        let store = try store(for: call)
        var scanned: Revision?
        if let wait {
            scanned = try await self.wait(
                for: key, in: config, of: store, atMost: call.context.mayWait ? wait : .zero,
                after: try query.integer("after"), log: query["log"], at: revision)
        } else if let name = ["after", "log"].first(where: { query[$0] != nil }) {
            throw DiscfgError.invalid("“\(name)” is given without “wait”.", hint: "Add for example wait=30s.")
        }
        // Who was told of a change must see it.
        let isConsistent = try query.flag("consistent") || wait != nil
        let reading = try await store.get(
            key, in: config, at: revision, consistency: isConsistent ? .strong : .eventual)
        let tag = EntityTag(reading.item)
        var headers: HTTPFields = [.eTag: tag.description, .vary: "Accept"]
        headers[.age] = reading.age?.wholeSeconds
        if let known = call.request.headers[.ifNoneMatch], tag.isAmong(known) {
            return Response(status: .notModified, headers: headers)
        }
        var item = reading.item
        if let pointer = try query["path"].map({ value throws(DiscfgError) in try JSONPointer(value) }) {
            item.value = try item.part(at: pointer, bare: wantsRaw)
        }
        guard wantsRaw else {
            let envelope = Envelope(action: "get", item: item, revision: max(reading.revision, scanned ?? 0))
            let style = try style(query)
            return .json(headers: headers) { envelope.write(to: &$0, style) }
        }
        headers[.contentType] = item.value.contentType
        headers[.version] = String(item.version)
        headers[.revision] = String(item.modified)
        // A stored page must not become a page of this server.
        headers[.contentSecurityPolicy] = "sandbox"
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: item.value.bytes)))
    }

    /// Waits until the key changes, or the time is over, or the server shuts down; what follows reads what is there then.
    ///
    /// - Returns: The revision up to which everything is known: what to ask as `after` next.
    /// - Throws: What the store throws.
    private func wait(
        for key: Key, in config: ConfigName, of store: CallerStore, atMost duration: Duration, after: Revision?,
        log: String?, at revision: Revision?
    ) async throws -> Revision? {
        guard revision == nil else {
            throw DiscfgError.invalid(
                "“wait” and “rev” exclude each other: the past does not change.", hint: "Leave one out.")
        }
        let position = if let after { after } else { try await store.revision(of: config) }
        let query = ChangesQuery(after: position, selection: .key(key), limit: 1, wait: duration, log: log)
        return try await untilShutdown { try await store.changes(query, in: config) }?.scanned
    }

    private func list(_ directory: String, _ call: Call) async throws -> Response {
        let query = try Query(
            call, allowing: ["recursive", "limit", "after", "keysOnly", "rev", "exact", "consistent", "bare", "key"])
        let keysOnly = try query.flag("keysOnly")
        let request = ListQuery(
            directory, isRecursive: try query.flag("recursive"), at: try query.integer("rev"),
            after: query["after"],
            limit: try query.integer("limit", in: 1...Int64(ListQuery.maximumLimit)) ?? ListQuery.defaultLimit,
            keysOnly: keysOnly, consistency: try query.flag("consistent") ? .strong : .eventual)
        let listing = try await store(for: call).list(request, in: try call.config)
        let style = try style(query)
        var headers: HTTPFields = [:]
        headers[.age] = listing.age?.wholeSeconds
        return .json(headers: headers) { listing.write(to: &$0, style, keysOnly: keysOnly) }
    }
}

extension Duration {
    /// As the field `Age` has it; RFC 9111, section 5.1.
    fileprivate var wholeSeconds: String { String(max(0, components.seconds)) }
}

extension Item {
    /// The part of a JSON value that the pointer names; bare, a string stands without its quotes.
    fileprivate func part(at pointer: JSONPointer, bare: Bool) throws(DiscfgError) -> Value {
        guard let part = try value.parsedJSON().value(at: pointer) else {
            throw DiscfgError(
                .pathNotFound, "The value of “\(key)” has nothing at “\(pointer)”.",
                hint: "Read it without a path to see what it has.")
        }
        if bare, let text = part.string { return Value(text) }
        return Value(part)
    }
}

/// The entity tag of an item: `"VERSION-REVISION"`.
///
/// The version alone would not do: a key that was deleted and set again starts at 1 once more.
struct EntityTag: CustomStringConvertible {
    private let version: Int64
    private let revision: Revision

    init(_ item: Item) {
        version = item.version
        revision = item.modified
    }

    var description: String { "\"\(version)-\(revision)\"" }

    /// Whether a field `If-None-Match` lists the tag.
    func isAmong(_ field: String) -> Bool {
        field.split(separator: ",").contains { candidate in
            let tag = candidate.trimmed
            return tag == "*" || tag == description || tag == "W/\(description)"
        }
    }

    /// What a field `If-Match` asks of a key: a version, or the version and revision that a tag has.
    static func test(_ field: String) throws(DiscfgError) -> Precondition.Test {
        let tag = Substring(field).trimmed
        if tag == "*" { return .present }
        let parts = tag.hasPrefix("W/") ? [] : tag.split(separator: "\"", omittingEmptySubsequences: false)
        let inner = parts.count == 3 && parts[0].isEmpty && parts[2].isEmpty ? parts[1] : parts.count == 1 ? tag : ""
        let numbers = inner.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        if numbers.count == 1, let version = numbers[0] { return .version(version) }
        if numbers.count == 2, numbers[0] != nil, let revision = numbers[1] { return .revision(revision) }
        throw .invalid(
            "If-Match has “\(field)”.", hint: "Send one entity tag as it was answered, a version as \"3\", or *.")
    }
}
