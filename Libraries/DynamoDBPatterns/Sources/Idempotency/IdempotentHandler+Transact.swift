import AWSClient

extension IdempotentHandler {
    /// Runs a transaction of `VersionedTable`s once for a key, and returns its stored answer to every later call.
    ///
    /// The answer is stored in the same transaction, so that the body needs no claim: of two calls at one time one is
    /// committed, and the other returns its answer. The body may have no effect but the transaction's.
    ///
    /// Costs a read unit and two write units, beside those of the transaction; a repetition one request and one read
    /// unit.
    ///
    /// - Parameters:
    ///   - key: The call's identity, as for `handle`.
    ///   - payload: What the call is about; `nil` for no check.
    ///   - tries: How many transactions to try, at least 1.
    ///   - body: Loads what it needs and says what to write, up to 99 items; called once for each try, as by
    ///     `DynamoDBAPI.transact`.
    /// - Returns: What `body` returned at the try that was committed, or the answer of an earlier call.
    /// - Throws: As `DynamoDBAPI.transact`; `PatternError` with the codes `busy` while a `handle` has the key,
    ///   `payloadMismatch`, `tooLarge`, `corrupt`.
    @discardableResult
    public func transact(
        _ key: String, payload: (any Encodable & Sendable)? = nil, tries: Int = 10,
        _ body: (inout VersionedTransaction) async throws -> Answer
    ) async throws -> IdempotentAnswer<Answer> {
        let item = try itemKey(of: key)
        let hash = try PayloadHash.of(payload)
        return try await counting {
            try await table.api.transact(clock: table.clock, tries: tries) { transaction in
                if let answer = try stored(in: try await table.item(item), hash) { return answer }
                let answer: Answer
                do {
                    answer = try await body(&transaction)
                } catch {
                    // It may have seen what an earlier call wrote, the answer of which was not to be seen yet.
                    if let earlier = try stored(in: try await table.settledItem(item), hash) {
                        transaction = VersionedTransaction(in: table.api, clock: table.clock)
                        return earlier
                    }
                    throw error
                }
                try transaction.add(try record(answer, hash, at: item), of: item)
                return IdempotentAnswer(answer: answer, isRepeated: false)
            }
        }
    }

    /// The answer of an earlier call; `nil` if there is none.
    private func stored(in item: StoredItem?, _ payload: String) throws(PatternError) -> IdempotentAnswer<Answer>? {
        let now = table.clock.milliseconds
        guard let record = try item.map(IdempotencyRecord.init), record.expiry > now / 1000 else { return nil }
        guard record.payload == payload else { throw mismatch() }
        if record.isDone { return IdempotentAnswer(answer: try answer(of: record), isRepeated: true) }
        guard record.until <= now else { throw busy(record) }
        return nil
    }

    private func record(_ answer: Answer, _ payload: String, at key: ItemKey) throws -> ItemWrite {
        typealias Name = IdempotencyRecord.Attribute
        var item = key.attributes
        item[Name.status] = .string(WorkState.done.rawValue)
        item[Name.claim] = .string(table.clock.token())
        item[Name.payload] = .string(payload)
        item[Name.answer] = try attribute(of: answer)
        item[Name.attempt] = .integer(1)
        item[PatternTable.Attribute.timeToLive] = .integer(expiry)
        return table.put(item, if: IdempotencyRecord.isFree(for: payload, at: table.clock.milliseconds))
    }
}
