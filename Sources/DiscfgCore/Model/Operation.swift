/// One thing that a transaction does.
public enum Operation: Sendable, Hashable {
    /// Sets a key.
    case set(Key, Value, expiry: Expiry = .never)
    /// Sets a key to the value that it has; an absent one makes the transaction fail with `keyNotFound`.
    case touch(Key, expiry: Expiry)
    /// Changes the members that a JSON merge patch (RFC 7396) names; an absent key counts as an empty document.
    case patch(Key, JSONValue)
    /// Removes a key; an absent one is left alone.
    case delete(Key)
    /// Removes every selected key.
    case deleteAll(KeySelection)
    /// Reads a key, as it stands after the operations before this one.
    case get(Key)
    /// Reads every key of a range, as `get` does.
    case getAll(KeyRange)
    /// Carries out a transaction as part of this one; its author and message do not matter.
    case transaction(Transaction)
    /// Makes the transaction fail with an error of that kind; what else makes it fail is told first, except for a missing lease.
    case fail(DiscfgError.Code)

    /// The key, if the operation is about one alone.
    var key: Key? {
        switch self {
        case .set(let key, _, _), .touch(let key, _), .patch(let key, _), .delete(let key), .get(let key): key
        case .deleteAll, .getAll, .transaction, .fail: nil
        }
    }

    /// When a key that is set ceases to be.
    public enum Expiry: Sendable, Hashable {
        case never
        /// As before: a key that had a time to live, or a lease, keeps it.
        case unchanged
        /// As before; an absent key makes the transaction fail with `keyNotFound`.
        case kept
        /// That long after the commit.
        case after(Duration)
        /// At that moment.
        case at(Timestamp)
        /// With a lease; one that is not there makes the transaction fail with `leaseNotFound`.
        case lease(Int64)
    }
}
