/// One operation of a transaction.
public enum Operation: Sendable, Hashable {
    /// Sets a key.
    case set(Key, Value, expiry: Expiry = .never)
    /// Sets a key to the value that it has; an absent key makes the transaction fail with `keyNotFound`.
    case touch(Key, expiry: Expiry)
    /// Changes the members that a JSON merge patch (RFC 7396) names; an absent key counts as an empty document.
    case patch(Key, JSONValue)
    /// Removes a key; does nothing if it is absent.
    case delete(Key)
    /// Removes every selected key.
    case deleteAll(KeySelection)
    /// Reads a key, after the operations before this one.
    case get(Key)
    /// Reads every key of a range, as `get` does.
    case getAll(KeyRange)
    /// Carries out a transaction as part of this one; its author and message are ignored.
    case transaction(Transaction)
    /// Makes the transaction fail with that error.
    ///
    /// Other errors of the transaction have precedence, except for a missing lease.
    case fail(DiscfgError.Code)

    /// The key, if the operation uses a single one.
    var key: Key? {
        switch self {
        case .set(let key, _, _), .touch(let key, _), .patch(let key, _), .delete(let key), .get(let key): key
        case .deleteAll, .getAll, .transaction, .fail: nil
        }
    }

    /// The time at which a key expires.
    public enum Expiry: Sendable, Hashable {
        case never
        /// Unchanged: a key that has a time to live, or a lease, keeps it.
        case unchanged
        /// Unchanged; an absent key makes the transaction fail with `keyNotFound`.
        case kept
        /// The given time after the commit.
        case after(Duration)
        /// At the given time.
        case at(Timestamp)
        /// With a lease; a missing lease makes the transaction fail with `leaseNotFound`.
        case lease(Int64)
    }
}
