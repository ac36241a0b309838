extension Transaction {
    static let maximumOperations = 100_000
    static let maximumDepth = 8
    static let nestedTooDeep = DiscfgError(
        .tooLarge, "Transactions are nested more than \(maximumDepth) deep.", hint: "Nest fewer of them.")

    /// Checks what can be checked without a store.
    ///
    /// - Throws: `DiscfgError` with code `tooLarge` or `invalidRequest`.
    package func validate(depth: Int = 1) throws(DiscfgError) {
        guard message.utf8.count <= 1024 else {
            throw DiscfgError(
                .tooLarge, "The message has \(message.utf8.count) bytes; the most is 1024.", hint: "Shorten it.")
        }
        guard author.utf8.count <= 256 else {
            throw DiscfgError(
                .tooLarge, "The author has \(author.utf8.count) bytes; the most is 256.", hint: "Shorten it.")
        }
        try validateCount()
        guard depth <= Self.maximumDepth else { throw Self.nestedTooDeep }
        for operation in success + failure { try operation.validate(depth: depth) }
    }

    /// How many bytes of JSON `validate` parses.
    package var jsonBytes: Int {
        (success + failure).reduce(0) { sum, operation in
            switch operation {
            case .set(_, let value, _) where value.isJSON: sum + value.bytes.count
            case .transaction(let transaction): sum + transaction.jsonBytes
            default: sum
            }
        }
    }

    /// Checks how many conditions and operations there are.
    func validateCount() throws(DiscfgError) {
        guard preconditions.count + success.count + failure.count <= Self.maximumOperations else {
            throw DiscfgError(
                .tooLarge, "The transaction has more than \(Self.maximumOperations) conditions and operations.",
                hint: "Split it into smaller ones.")
        }
    }
}

extension Operation {
    fileprivate func validate(depth: Int) throws(DiscfgError) {
        switch self {
        case .set(_, let value, let expiry):
            try value.validate()
            try expiry.validate()
        case .touch(_, let expiry): try expiry.validate()
        case .transaction(let transaction): try transaction.validate(depth: depth + 1)
        case .patch, .delete, .deleteAll, .get, .getAll, .fail: break
        }
    }
}

extension Operation.Expiry {
    fileprivate func validate() throws(DiscfgError) {
        if case .after(let duration) = self, duration <= .zero {
            throw .invalid(
                "A time to live of \(duration) is not positive.", hint: "Give a duration such as 30s, or none.")
        }
    }
}
