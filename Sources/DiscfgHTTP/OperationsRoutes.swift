import DiscfgCore
import HTTPTypes
import Hummingbird
import NIOCore

/// What operators and tools ask: health, readiness, metrics, and the description of the API.
struct OperationsRoutes: Sendable {
    let store: CallerStore
    let registry: PrometheusRegistry?

    func add(to table: RouteTable) {
        table.on(.get, "/health") { call in
            _ = try Query(call)
            // As etcd answers it.
            return .json { writer in writer.object { $0.member("health", "true") } }
        }
        table.on(.get, "/ready") { call in
            _ = try Query(call)
            _ = try await store.revision(of: .default)
            return .json { writer in writer.object { $0.member("status", "ready") } }
        }
        table.on(.get, "/openapi.yaml") { call in
            _ = try Query(call)
            return .text(PackageResources.openapi_yaml, type: "application/yaml")
        }
        guard let registry else { return }
        table.on(.get, "/metrics") { call in
            _ = try Query(call)
            return .text(Array(registry.exposition().utf8), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    }
}

extension Response {
    fileprivate static func text(_ bytes: [UInt8], type: String) -> Response {
        Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
