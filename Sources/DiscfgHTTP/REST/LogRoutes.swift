import DiscfgCore
import HTTPTypes
import Hummingbird

/// The log: changes as they come, history, comparison, and going back.
extension RESTRoutes {
    func addLog(to table: RouteTable) {
        table.on(.post, "/v1/:cfg/txn", transact)
        table.on(.get, "/v1/:cfg/changes", changes)
        table.on(.get, "/v1/:cfg/history", history)
        table.on(.get, "/v1/:cfg/history/**", history)
        table.on(.get, "/v1/:cfg/diff", diff)
        table.on(.post, "/v1/:cfg/rollback", rollback)
        table.on(.post, "/v1/:cfg/compact", compact)
    }

    private func transact(_ call: Call) async throws -> Response {
        try call.refuseConditions()
        let query = try Query(call, allowing: ["exact"])
        let transaction = try await Transaction.parsed(
            try await call.body(atMost: Self.maximumBody), limits: call.jsonLimits)
        let result = try await store(for: call).commit(transaction, to: try call.config)
        let style = try style(query)
        return .json { result.write(to: &$0, style) }
    }

    private func changes(_ call: Call) async throws -> Response {
        let query = try Query(call, allowing: ["after", "prefix", "wait", "limit", "log", "exact", "prev"])
        let config = try call.config
        let selection = try KeySelection.subtree(query["prefix"] ?? "")
        let wait = try query.duration("wait").map { call.context.mayWait ? $0 : .zero }
        let limit = try query.integer("limit", in: 1...1000) ?? 1000
        let streams = call.accepts("text/event-stream")
        if streams { try call.refuseStream("Ask for /v1/CONFIG/changes?after=REVISION every now and then.") }
        let resumed = try call.request.headers[.lastEventID].map { field throws(DiscfgError) in try EventID(field) }
        if streams, wait != nil {
            throw DiscfgError.invalid("An event stream waits by itself.", hint: "Leave out “wait”.")
        }
        let store = try store(for: call)
        // Who waits and does not say from where, waits for what comes now.
        let start: Revision
        if let given = try resumed?.revision ?? query.integer("after") {
            start = given
        } else if wait != nil || streams {
            start = try await store.revision(of: config)
        } else {
            start = try await store.info(of: config).oldest
        }
        let request = ChangesQuery(
            after: start, selection: selection, limit: limit, wait: wait, log: resumed?.log ?? query["log"])
        let style = try style(query)
        if streams {
            let stream = ChangeStream(
                store: store, config: config, query: request, style: style, answers: call.context.answers)
            return try await stream.response()
        }
        let page =
            try await untilShutdown { try await store.changes(request, in: config) }
            ?? ChangePage(commits: [], scanned: request.after, revision: request.after, log: request.log)
        return .json { page.write(to: &$0, style) }
    }

    private func history(_ call: Call) async throws -> Response {
        let query = try Query(call, allowing: ["limit", "before", "exact", "prev", "bare", "prefix"])
        let selection = try KeySelection.subtree(Query.name(of: call, or: "prefix"))
        let request = HistoryQuery(
            selection, before: try query.integer("before"), limit: try query.integer("limit", in: 1...1000) ?? 100)
        let page = try await store(for: call).history(request, in: try call.config)
        let style = try style(query)
        return .json { page.write(to: &$0, style) }
    }

    private func diff(_ call: Call) async throws -> Response {
        let query = try Query(call, allowing: ["from", "to", "prefix", "exact"])
        guard let from = try query.integer("from") else {
            throw DiscfgError.invalid(
                "The parameter “from” is missing.", hint: "Name the revision to compare with, as in ?from=3.")
        }
        let request = DiffQuery(
            from: from, to: try query.integer("to"), selection: try .subtree(query["prefix"] ?? ""))
        let difference = try await store(for: call).diff(request, in: try call.config)
        let style = try style(query)
        return .json { difference.write(to: &$0, style) }
    }

    private func rollback(_ call: Call) async throws -> Response {
        try call.refuseConditions()
        let query = try Query(call, allowing: ["exact"])
        let request = try RollbackRequest(wire: try await call.json(atMost: 64 << 10))
        let result = try await store(for: call).rollback(request, in: try call.config)
        let style = try style(query)
        return .json { result.write(to: &$0, style) }
    }

    private func compact(_ call: Call) async throws -> Response {
        _ = try Query(call)
        let (store, config) = (try store(for: call), try call.config)
        let oldest = try await store.compact(
            config, keeping: try CompactionRequest(wire: try await call.json(atMost: 64 << 10)))
        let revision = try await afterWrite("The history of config “\(config)” is compacted") {
            try await store.revision(of: config)
        }
        return .json { writer in
            writer.object {
                $0.member("action", "compact")
                $0.member("cfgOldest", oldest)
                $0.member("cfgVersion", revision)
            }
        }
    }
}
