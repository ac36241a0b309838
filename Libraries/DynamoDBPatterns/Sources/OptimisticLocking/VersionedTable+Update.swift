import AWSClient

extension VersionedTable {
    /// Loads an item, changes it and saves it, and begins anew with the newer item when somebody else was faster.
    ///
    /// Costs one strongly consistent read, and one write for each try. A conflict brings the newer item along, which
    /// is tried at once; from the third try on there is a pause, and another read, before each. Where
    /// the change leaves the item as it is, nothing is written. The change is applied once, also when answers are
    /// lost; where that cannot be found out, the call throws. To call it again after such an error, let the change see
    /// in the item that it was made before, by an identity that it stores there.
    ///
    /// - Parameters:
    ///   - key: The item's key.
    ///   - initial: What to change and insert where there is no item.
    ///   - tries: How many writes to try, at least 1.
    ///   - change: Changes the item in place; called once for each try, each time with an item as it is stored.
    /// - Returns: The item with its new version.
    /// - Throws: `PatternError` with code `notFound` if there is no item and no `initial`, with code `contention`
    ///   after the last try; `Conflict` or `AWSError` whose `mayHaveTakenEffect` means that it is not known whether the
    ///   change was made; what `change` throws.
    @discardableResult
    public func update(
        _ key: PrimaryKey, orInsert initial: @autoclosure () throws -> Item? = nil, tries: Int = 10,
        _ change: (inout Item) throws -> Void
    ) async throws -> Versioned<Item> {
        var current = try await load(key)
        var unanswered: [(draft: Draft<Item>, error: AWSError)] = []
        for attempt in 1...max(tries, 1) {
            // What a conflict brings along is worth a try at once; after a pause it would be old.
            if attempt > 2 {
                try await clock.sleep(.conflictBackoff(attempt, clock))
                do { current = try await load(key) } catch let error as AWSError {
                    throw unanswered.last?.error ?? error
                }
                if let settled = try settled(unanswered, in: current) { return settled }
            }
            guard let draft = try draft(changing: current, of: key, orInsert: initial, change) else {
                if let current { return current }
                throw PatternError(.notFound, "The table “\(name)” has no item of this key.")
            }
            do {
                return try await carryOut(draft)
            } catch let conflict as Conflict<Item> where !conflict.mayHaveTakenEffect {
                current = conflict.newer
            } catch let error as AWSError {
                guard error.mayHaveTakenEffect else { throw unanswered.last?.error ?? error }
                unanswered.append((draft, error))
                do { current = try await load(key) } catch is AWSError { throw error }
            }
            if let settled = try settled(unanswered, in: current) { return settled }
        }
        if let error = unanswered.last?.error { throw error }
        throw PatternError(
            .contention, "An item of the table “\(name)” was changed by others at each of \(max(tries, 1)) tries.",
            hint: "Spread what many change over several items, or allow more tries.")
    }

    /// The write without an answer that was carried out, going by the item as it is now; `nil` if none was.
    ///
    /// Such a write may be carried out at any time, until another one takes its place.
    private func settled(
        _ unanswered: [(draft: Draft<Item>, error: AWSError)], in current: Versioned<Item>?
    ) throws -> Versioned<Item>? {
        for (draft, error) in unanswered {
            switch draft.fate(in: current) {
            case .carriedOut: return draft.versioned
            case .notCarriedOut: continue
            case .unknown: throw error
            }
        }
        return nil
    }

    /// What to write, or `nil` if there is nothing to change.
    private func draft(
        changing current: Versioned<Item>?, of key: PrimaryKey, orInsert initial: () throws -> Item?,
        _ change: (inout Item) throws -> Void
    ) throws -> Draft<Item>? {
        if var versioned = current {
            try change(&versioned.item)
            return try encoded(versioned.item).item == versioned.content.known ? nil : try draft(saving: versioned)
        }
        guard var item = try initial() else { return nil }
        try change(&item)
        let draft = try draft(inserting: item)
        guard draft.versioned.key == key else {
            throw PatternError(.invalidArgument, "The item to insert has another key than the one to update.")
        }
        return draft
    }
}
