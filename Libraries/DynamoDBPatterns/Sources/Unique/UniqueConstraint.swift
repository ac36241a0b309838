public import AWSClient

/// Values of which each has one owner at most: e-mail addresses, names, numbers that are not a table's key.
///
/// ```swift
/// let emails = try UniqueConstraint("users.email", in: table)
/// try await dynamoDB.transact { transaction in
///     try transaction.claim("ann@example.org", for: user.id, in: emails)
///     try transaction.insert(user, into: users)
/// }
/// ```
///
/// Each value that is taken has a guard item, which is written in the same transaction as the item that has the value.
/// DynamoDB compares bytes: bring values into one form first, such as lower case and Unicode's NFC.
public struct UniqueConstraint: Sendable {
    /// The name in the keys of the guards.
    public let name: String
    /// The table of the items, which other patterns may share.
    public let table: PatternTable

    /// A constraint; no request is made yet.
    ///
    /// - Parameters:
    ///   - name: The name in the keys of the guards: 1 to 64 letters, digits, dots, underscores and hyphens.
    ///   - table: Where the guards are kept, in the same account and region as the items.
    /// - Throws: `PatternError` with code `invalidArgument`.
    public init(_ name: String, in table: PatternTable) throws(PatternError) {
        try PatternName.check(name, of: "a unique constraint")
        self.name = name
        self.table = table
    }

    /// The owner of a value, strongly consistent; one read unit.
    ///
    /// - Parameter value: The value, 1 to 512 bytes.
    /// - Returns: The owner's identity; `nil` if the value is free.
    /// - Throws: `AWSError`; `PatternError` with the codes `invalidArgument` and `corrupt`.
    public func owner(of value: String) async throws -> String? {
        guard let item = try await table.item(try guardKey(of: value)) else { return nil }
        guard let owner = item[Self.owner]?.string else {
            throw PatternError(.corrupt, "The guard of a value of “\(name)” has no owner.")
        }
        return owner
    }

    /// The write that claims a value, for a transaction of your own or of a step.
    ///
    /// It is refused if the value belongs to another owner; for the same owner it changes nothing.
    ///
    /// - Parameters:
    ///   - value: The value, 1 to 512 bytes.
    ///   - owner: The identity of the item that has the value, 1 to 512 bytes.
    /// - Returns: The write; two write units.
    /// - Throws: `PatternError` with code `invalidArgument`.
    public func claiming(_ value: String, for owner: String) throws(PatternError) -> TransactWriteItem {
        try claim(value, for: owner).write.transactItem
    }

    /// The write that frees a value, for a transaction of your own or of a step.
    ///
    /// It is refused if the value belongs to another owner; if it is free already it changes nothing.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - owner: The owner that it belongs to.
    /// - Returns: The write; two write units.
    /// - Throws: `PatternError` with code `invalidArgument`.
    public func releasing(_ value: String, of owner: String) throws(PatternError) -> TransactWriteItem {
        try release(value, of: owner).write.transactItem
    }

    /// Frees a value without its item: to repair what another program has left.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - owner: The owner that it belongs to.
    /// - Throws: `PatternError` with code `taken` if it belongs to another owner; `AWSError`.
    public func release(_ value: String, of owner: String) async throws {
        guard case .refused = try await table.carryOut(try release(value, of: owner).write) else { return }
        throw taken()
    }
}

extension PatternError.Code {
    /// A value that may have one owner only belongs to another one.
    public static let taken = PatternError.Code(rawValue: "taken")
}

extension UniqueConstraint {
    private static let owner = "owner"

    private func guardKey(of value: String) throws(PatternError) -> ItemKey {
        try PatternKey.check(value, of: "value of “\(name)”")
        return ItemKey(partition: PatternTable.Prefix("U", name).partition(value), sort: "guard")
    }

    private func isFree(for owner: String) -> Condition {
        .any([.absent(PatternTable.Attribute.partition), .equals(Self.owner, .string(owner))])
    }

    func claim(_ value: String, for owner: String) throws(PatternError) -> (key: ItemKey, write: ItemWrite) {
        try PatternKey.check(owner, of: "owner of a value of “\(name)”")
        let key = try guardKey(of: value)
        var item = key.attributes
        item[Self.owner] = .string(owner)
        return (key, table.put(item, if: isFree(for: owner)))
    }

    func release(_ value: String, of owner: String) throws(PatternError) -> (key: ItemKey, write: ItemWrite) {
        let key = try guardKey(of: value)
        return (key, table.delete(key, if: isFree(for: owner)))
    }

    func taken() -> PatternError {
        PatternError(.taken, "The value of “\(name)” belongs to another owner.", hint: "Choose another value.")
    }
}
