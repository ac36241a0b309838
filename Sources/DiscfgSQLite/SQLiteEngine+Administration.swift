public import DiscfgCore
import GRDB

/// The file as a whole: opening it creates it, and discfg does not delete it.
extension SQLiteEngine: StoreAdministration {
    public var subject: StoreSubject? { nil }

    public func create(_ properties: StoreProperties) async throws -> [StoreWarning] {
        guard properties == StoreProperties() else { throw unsupported("has neither settings nor a protection") }
        return []
    }

    public func status() async throws -> StorageDescription {
        let format = try await read { try $0.query("PRAGMA user_version").first { $0.integer(0) } ?? 0 }
        var description = description
        let sizes = file.sizes
        description.options["format"] = String(format)
        description.options["size"] = String(sizes.file)
        description.options["walSize"] = String(sizes.log)
        return description
    }

    /// The size of the file and of its write-ahead log.
    public var size: Int64? {
        let sizes = file.sizes
        return sizes.file + sizes.log
    }

    public func destroy() async throws { throw unsupported("is not deleted by discfg") }

    private func unsupported(_ what: String) -> DiscfgError {
        DiscfgError(
            .unsupported, "The store “\(realPath)” is a SQLite file, which \(what).",
            hint: "Name a DynamoDB table: --store dynamodb:TABLE. A SQLite file needs no command.")
    }
}
