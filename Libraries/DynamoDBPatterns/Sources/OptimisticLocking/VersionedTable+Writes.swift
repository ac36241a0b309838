import AWSClient

extension VersionedTable {
    /// Stores an item under a key that is free.
    ///
    /// Costs two writes: it is a transaction of one item, which DynamoDB carries out once. A plain write that is made
    /// again after its answer was lost would bring back what somebody else has deleted meanwhile.
    ///
    /// - Parameter item: The item; its type's members hold the whole key.
    /// - Returns: The item at version 1.
    /// - Throws: `Conflict` with the item that is there already; `PatternError`; `AWSError`, whose
    ///   `mayHaveTakenEffect` means that it is not known whether the item was stored.
    @discardableResult
    public func insert(_ item: Item) async throws -> Versioned<Item> {
        try await carryOut(try draft(inserting: item))
    }

    /// Stores a changed item, if nobody else changed or deleted it since it was loaded.
    ///
    /// Costs one write, of the larger of the item before and after; a conflict costs the same.
    ///
    /// - Parameter versioned: The item with its changes.
    /// - Returns: The item with its new version, to go on with.
    /// - Throws: `Conflict` with the newer item; `PatternError` with code `invalidArgument` if the key was changed;
    ///   `AWSError`, whose `mayHaveTakenEffect` means that it is not known whether the item was stored.
    @discardableResult
    public func save(_ versioned: Versioned<Item>) async throws -> Versioned<Item> {
        try await carryOut(try draft(saving: versioned))
    }

    /// Deletes an item, if nobody else changed it since it was loaded.
    ///
    /// Where an answer was lost and the item is gone when the deletion is tried again, it counts as deleted by this
    /// call, though somebody else may have been faster. Who has to be the only one saves a mark in the item first.
    ///
    /// - Parameter versioned: The item as it was loaded.
    /// - Throws: `Conflict` with the newer item, or with none if somebody else deleted it; `AWSError`.
    public func delete(_ versioned: Versioned<Item>) async throws {
        let write = ItemWrite(
            table: name, key: try versioned.key.attributes(by: key), action: .delete, condition: unchanged(versioned))
        guard case .refused(let item, let inDoubt) = try await api.carryOut(write, clock: clock) else { return }
        if item == nil && inDoubt { return }
        let newer = try item.map(self.versioned)
        // What is of the same life was never deleted.
        let isSameLife = newer?.stamp.map { $0.life == versioned.stamp?.life } ?? false
        throw conflict(versioned.key, newer, inDoubt: inDoubt && !isSameLife)
    }

    /// Writes a draft, and finds out whether it was written where the answer leaves that open.
    func carryOut(_ draft: Draft<Item>) async throws -> Versioned<Item> {
        guard draft.base != nil else { return try await insert(draft) }
        let write = ItemWrite(table: name, key: [:], action: .put(draft.stored), condition: draft.condition)
        guard case .refused(let item, let inDoubt) = try await api.carryOut(write, clock: clock) else {
            return draft.versioned
        }
        let newer = try item.map(versioned)
        let fate = inDoubt ? draft.fate(in: newer) : .notCarriedOut
        if fate == .carriedOut { return draft.versioned }
        throw conflict(draft.versioned.key, newer, inDoubt: fate == .unknown)
    }

    private func insert(_ draft: Draft<Item>) async throws -> Versioned<Item> {
        var transaction = VersionedTransaction(in: api, clock: clock)
        let versioned = try transaction.add(draft, to: self)
        do {
            try await transaction.commitSurely(clock: clock, tries: 3)
        } catch let error as TransactionConflict {
            var conflict = try error.conflicts(in: self).first ?? conflict(versioned.key, nil, inDoubt: false)
            conflict.isInsertion = true
            throw conflict
        }
        return versioned
    }

    func conflict(_ key: PrimaryKey, _ newer: Versioned<Item>?, inDoubt: Bool) -> Conflict<Item> {
        Conflict(table: name, key: key, newer: newer, mayHaveTakenEffect: inDoubt)
    }
}
