public import DiscfgCore
import GRDB

/// The file as a whole: opening it creates it, and discfg does not delete it.
extension SQLiteEngine: StoreAdministration {
    /// None: a destruction is refused, because discfg does not delete files.
    public var subject: StoreSubject? { nil }

    /// Does nothing, because opening the file creates it; throws `unsupported` if any property is asked for.
    public func create(_ properties: StoreProperties) async throws -> [StoreWarning] {
        guard properties == StoreProperties() else { throw unsupported("has neither settings nor a protection") }
        return []
    }

    /// The path, the version of the format, and the sizes of the file and of its write-ahead log in bytes.
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

    /// Throws `unsupported`: the file is deleted by its owner, as any file.
    public func destroy() async throws { throw unsupported("is not deleted by discfg") }

    private func unsupported(_ what: String) -> DiscfgError {
        DiscfgError(
            .unsupported, "The store “\(realPath)” is a SQLite file, which \(what).",
            hint: "Name a DynamoDB table: --store dynamodb:TABLE. A SQLite file needs no command.")
    }
}
