import AWSClient

/// Items are not what they were when they were loaded: nothing of the transaction was written.
public struct TransactionConflict: Error {
    /// One item that stood in the way.
    public struct Failure: Sendable {
        /// The table's name.
        public let table: String
        /// The key of the item.
        public let key: PrimaryKey
        /// The item as DynamoDB has it by now; `nil` if there is none.
        let item: [String: AttributeValue]?
    }

    /// The items that stood in the way, in the order in which they were added to the transaction.
    public let failures: [Failure]

    /// The conflicts of one table, with the newer items.
    ///
    /// - Parameter table: The table.
    /// - Returns: One for each of its items that stood in the way; none if all of them are in other tables.
    /// - Throws: `PatternError` with code `corrupt` if what is stored is not of the item's type.
    public func conflicts<Item>(in table: VersionedTable<Item>) throws -> [Conflict<Item>] {
        try failures.filter { $0.table == table.name }
            .map { table.conflict($0.key, try $0.item.map(table.versioned), inDoubt: false) }
    }
}

extension TransactionConflict: CustomStringConvertible {
    /// How many items have changed, and in which tables; no key and no content.
    public var description: String {
        let tables = Set(failures.map(\.table)).sorted().map { "“\($0)”" }.joined(separator: ", ")
        return "conflict: \(failures.count) of the transaction's items are not as they were loaded, in \(tables)."
    }
}

extension DynamoDBAPI {
    /// Runs a transaction, and again from its beginning when items were changed by others meanwhile.
    ///
    /// When an answer is lost, the same transaction is sent again, which DynamoDB carries out once.
    ///
    /// - Parameters:
    ///   - clock: The pauses between tries.
    ///   - tries: How many to make, at least 1.
    ///   - body: Loads what it needs and says what to write; called once for each try, so that it may change nothing
    ///     else, and that what was loaded before it is outdated at each try but the first. Its loads may see several
    ///     moments: it must bear with what does not fit together.
    /// - Returns: What `body` returned at the try that was committed.
    /// - Throws: `PatternError` with code `contention` after the last try; `AWSError`, whose `mayHaveTakenEffect` means
    ///   that it is not known whether the transaction was carried out; what `body` throws.
    @discardableResult
    public func transact<Result>(
        clock: PatternClock = PatternClock(), tries: Int = 10,
        _ body: (inout VersionedTransaction) async throws -> Result
    ) async throws -> Result {
        var cause: (any Error)?
        for attempt in 1...max(tries, 1) {
            if attempt > 1 { try await clock.sleep(.conflictBackoff(attempt, clock)) }
            do {
                var transaction = VersionedTransaction(in: self, clock: clock)
                let result = try await body(&transaction)
                try await transaction.commitSurely(clock: clock, tries: tries)
                return result
            } catch let conflict as TransactionConflict {
                cause = conflict
            }
        }
        throw PatternError(
            .contention, "Others changed items of a transaction at each of \(max(tries, 1)) tries.",
            hint: "Load in the body, not before; a key to insert may be taken, which a load in the body tells. Let the"
                + " transaction touch fewer items that many change, or allow more tries.", cause: cause)
    }
}

extension VersionedTransaction {
    /// Commits, and asks again while answers are lost or others' transactions are under way.
    func commitSurely(clock: PatternClock, tries: Int) async throws {
        var lost: AWSError?
        let start = clock.milliseconds
        for attempt in 1...max(tries, 1) {
            if attempt > 1 { try await clock.sleep(.conflictBackoff(attempt, clock)) }
            // DynamoDB knows the token for ten minutes: after a long pause it would carry the transaction out again.
            if let lost, clock.milliseconds - start > 300_000 { throw lost }
            do {
                return try await commit()
            } catch let error as AWSError {
                if error.mayHaveTakenEffect { lost = error }
                // Whatever is answered to a later try, the first one may yet be carried out.
                guard lost != nil || error.isContention, attempt < tries else { throw lost ?? error }
            }
        }
    }
}
