extension Transaction {
    /// Reads the JSON text of a transaction as `init(parsing:author:limits:)` does, a large one as `LongWork`.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest`, `invalidName`, `tooLarge` or `overloaded`; `CancellationError`.
    package static func parsed(
        _ bytes: [UInt8], author: String = "", limits: JSONLimits = JSONLimits()
    ) async throws -> Transaction {
        try await LongWork.run(onBytes: bytes.count) { _ throws(DiscfgError) in
            try Transaction(parsing: bytes, author: author, limits: limits)
        }
    }
}
