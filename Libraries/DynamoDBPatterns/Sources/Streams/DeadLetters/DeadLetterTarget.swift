public import AWSClient

/// Takes the records that a `StreamProcessor` gives up: `TableDeadLetters`, `QueueDeadLetters`, `ClosureDeadLetters`.
public protocol DeadLetterTarget: Sendable {
    /// Keeps a letter, for good: what returns from here is not delivered again.
    ///
    /// The same letter may come more than once.
    ///
    /// - Parameter letter: The record, and why it was given up.
    /// - Throws: What is in the way; then the record counts as failed, and is tried again.
    func take(_ letter: DeadLetter) async throws

    /// Whether a record is of this target's own writes, in the same table: handling it would make new ones for ever.
    ///
    /// - Parameters:
    ///   - record: From a stream.
    ///   - stream: The stream's ARN, where it is known.
    /// - Returns: By default `false`.
    func wrote(_ record: StreamRecord, in stream: String?) -> Bool
}

extension DeadLetterTarget {
    /// Returns `false`, for targets that do not write to a table with a stream.
    public func wrote(_ record: StreamRecord, in stream: String?) -> Bool { false }
}

/// Hands dead letters to a closure.
public struct ClosureDeadLetters: DeadLetterTarget {
    private let body: @Sendable (DeadLetter) async throws -> Void

    /// A target that calls a closure.
    ///
    /// - Parameter body: Keeps a letter for good, or throws; see `DeadLetterTarget.take`.
    public init(_ body: @escaping @Sendable (DeadLetter) async throws -> Void) { self.body = body }

    /// Calls the closure, and throws what it throws.
    public func take(_ letter: DeadLetter) async throws { try await body(letter) }
}

extension PatternTable {
    /// Whether a record is one of this table's stream, and of an item of one kind, by both parts of its key.
    ///
    /// The table may hold items of others. A sort key that ends with `#` stands for all that begin with it.
    func hasWritten(_ record: StreamRecord, in stream: String?, kind: String, sorts: [String]) -> Bool {
        guard let stream, let table = StreamName(stream)?.table,
            table == (name.split(separator: "/").last.map(String.init) ?? name)
        else { return false }
        guard let key = record.change?.keys.flatMap(ItemKey.init(of:)) else { return false }
        return key.partition.dropping(prefix: "\(kind)#")?.contains("#") == true
            && sorts.contains { $0.hasSuffix("#") ? key.sort.hasPrefix($0) : key.sort == $0 }
    }
}

/// The parts of a stream's ARN, such as `arn:aws:dynamodb:eu-west-1:123456789012:table/Music/stream/2026-01-01T00:00`.
struct StreamName: Sendable {
    var table: String
    var label: String

    init?(_ arn: String) {
        let parts = arn.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].hasSuffix(":table"), parts[2] == "stream" else { return nil }
        (table, label) = (String(parts[1]), String(parts[3]))
    }
}
