import DiscfgCore
import DiscfgFormats
import HTTPTypes
import Hummingbird
import NIOCore

/// Whole files: import and export.
extension RESTRoutes {
    func addFiles(to table: RouteTable) {
        table.on(.get, "/v1/:cfg/export", export)
        table.on(.put, "/v1/:cfg/import", importFile)
    }

    private func export(_ call: Call) async throws -> Response {
        let query = try Query(call, allowing: ["as", "prefix", "rev"])
        let format = try format(query)
        let file = try await store(for: call).export(
            as: format, below: query["prefix"] ?? "/", in: try call.config, at: try query.integer("rev"))
        return Response(
            status: .ok, headers: [.contentType: format.mediaType, .leftOut: String(file.leftOut.count)],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
    }

    private func importFile(_ call: Call) async throws -> Response {
        try call.refuseConditions()
        let query = try Query(
            call, allowing: ["as", "prefix", "prune", "ifRevision", "dryRun", "splitArrays", "document", "message"])
        let config = try call.config
        let body = try await call.body(atMost: Self.maximumBody)
        if let hold = call.context.hold { try hold.require(min(Self.leafMemory(of: body), hold.limit / 2)) }
        let leaves = try await format(query).leaves(
            of: body, document: try query.integer("document", in: 1...100_000),
            splitArrays: try query.flag("splitArrays"), yaml: yaml)
        let request = ImportRequest(
            prefix: query["prefix"] ?? "/", prunes: try query.flag("prune"),
            ifRevision: try query.integer("ifRevision"), message: query["message"] ?? "")
        let store = try store(for: call)
        // A rehearsal must find what the commit would.
        try Transaction(then: [], author: store.caller.author, message: request.message).validate()
        if try query.flag("dryRun") {
            let plan = try await store.planImport(of: leaves, as: request, in: config)
            return .json { plan.write(to: &$0, dryRun: true, revision: plan.revision) }
        }
        let outcome = try await store.importLeaves(leaves, as: request, in: config)
        return .json { outcome.plan.write(to: &$0, dryRun: false, revision: outcome.revision) }
    }

    /// About the bytes that the values of a file take: what may separate two of them is counted.
    private static func leafMemory(of file: [UInt8]) -> Int {
        file.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "[") } * 400
    }

    private func format(_ query: Query) throws(DiscfgError) -> ConfigFormat {
        guard let name = query["as"] else {
            let known = ConfigFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("The parameter “as” is missing.", hint: "Say ?as= with one of: \(known).")
        }
        guard let format = ConfigFormat(name: name) else {
            let known = ConfigFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("There is no format “\(name)”.", hint: "Say ?as= with one of: \(known).")
        }
        return format
    }
}
