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
        let request = ImportRequest(
            prefix: query["prefix"] ?? "/", prunes: try query.flag("prune"),
            ifRevision: try query.integer("ifRevision"), message: query["message"] ?? "")
        let store = try store(for: call)
        // A rehearsal must find what the commit would.
        try Transaction(then: [], author: store.caller.author, message: request.message).validate()
        let values = try await values(of: body, query, call, for: request)
        if try query.flag("dryRun") {
            let plan = try await store.planImport(of: values, in: config)
            return .json { plan.outcome.write(to: &$0, dryRun: true) }
        }
        let outcome = try await store.importValues(values, in: config) { _, _ in }
        return .json { outcome.write(to: &$0, dryRun: false) }
    }

    private func values(
        of body: [UInt8], _ query: Query, _ call: Call, for request: ImportRequest
    ) async throws -> ImportedValues {
        let document = try query.integer("document", in: 1...100_000)
        let splitArrays = try query.flag("splitArrays")
        guard query["as"] == Self.items else {
            let leaves = try await format(query).leaves(
                of: body, document: document, splitArrays: splitArrays, yaml: yaml)
            return try await .of(leaves, for: request)
        }
        guard document == nil, !splitArrays else {
            throw DiscfgError.invalid(
                "The parameters “document” and “splitArrays” are for files.", hint: "Leave them out with “as=items”.")
        }
        let limits = call.jsonLimits
        return try await LongWork.run(onBytes: body.count) { _ throws(DiscfgError) in
            let object: JSONValue
            do throws(JSONSyntaxError) {
                object = try JSONValue(parsing: body, limits: limits)
            } catch {
                throw DiscfgError(reading: error)
            }
            return try ImportedValues(wire: object, for: request)
        }
    }

    /// The name of what is imported that is not a file: keys with their values.
    private static let items = "items"

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
