import DiscfgCore
import DiscfgFormats
import HTTPTypes
import Hummingbird

/// The REST API: `/v1/…`.
struct RESTRoutes: Sendable {
    let access: StoreAccess
    let time: TimeSource
    /// What reads YAML; without it YAML cannot be imported.
    let yaml: YAMLReader?

    /// The most bytes of a body that carries many values: an import, a transaction.
    static let maximumBody = 64 << 20

    func add(to table: RouteTable) {
        addConfigs(to: table)
        addKeys(to: table)
        addLog(to: table)
        addFiles(to: table)
    }

    /// The store, for the caller of a request.
    func store(for call: Call) throws -> CallerStore { access.acting(as: try call.caller) }

    /// How an answer is written: `exact` gives every value as base64, `prev` the item before each change.
    func style(_ query: Query) throws(DiscfgError) -> WireStyle {
        WireStyle(now: time.now(), isExact: try query.flag("exact"), withPrevious: try query.flag("prev"))
    }
}

extension RESTRoutes {
    private func addConfigs(to table: RouteTable) {
        table.on(.get, "/v1/cfgs", configs)
        table.on(.get, "/v1/:cfg/cfg", info)
        table.on(.options, "/v1/:cfg/cfg", info)
        table.on(.put, "/v1/:cfg/cfg", create)
        table.on(.patch, "/v1/:cfg/cfg", update)
        table.on(.delete, "/v1/:cfg/cfg", removeConfig)
    }

    private func configs(_ call: Call) async throws -> Response {
        _ = try Query(call)
        let configs = try await store(for: call).configs()
        return .json { writer in
            writer.object { writer in
                writer.name("cfgs")
                writer.array { for config in configs { config.write(to: &$0) } }
            }
        }
    }

    private func info(_ call: Call) async throws -> Response {
        _ = try Query(call)
        let info = try await store(for: call).info(of: try call.config)
        return .json { info.write(to: &$0, action: "info") }
    }

    private func create(_ call: Call) async throws -> Response {
        _ = try Query(call)
        let body = try await call.body(atMost: 64 << 10)
        let settings =
            body.isEmpty
            ? ConfigSettings() : try ConfigSettings(json: Value(bytes: body, contentType: Value.json).parsedJSON())
        let info = try await store(for: call).createConfig(try call.config, settings: settings)
        return .json(status: .created) { info.write(to: &$0, action: "create") }
    }

    private func update(_ call: Call) async throws -> Response {
        _ = try Query(call)
        let patch = try await call.json(atMost: 64 << 10)
        let info = try await store(for: call).updateConfig(try call.config, patch: patch)
        return .json { info.write(to: &$0, action: "update") }
    }

    private func removeConfig(_ call: Call) async throws -> Response {
        _ = try Query(call)
        let config = try call.config
        try await store(for: call).deleteConfig(config)
        return .json { writer in
            writer.object {
                $0.member("action", "delete")
                $0.member("name", config.description)
            }
        }
    }
}
