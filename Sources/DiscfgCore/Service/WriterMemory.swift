import Synchronization

/// What a writer knows of a config between two commits: the tail of the log, and items as they stand there.
///
/// With it a write is one step of the store: nothing has to be read first. It may be out of date when others write; the
/// append notices, because revisions have no gaps.
struct WriterMemory: Sendable {
    /// The most that is kept.
    static let maximumItems = 4096
    static let maximumBytes = 8 << 20

    var tail: LogTail
    /// A `nil` is known to be absent.
    var items: [Key: Item?]

    /// What is worth keeping of an evaluator's knowledge: all of it, or only what was just used when that is too much.
    init(_ evaluator: TransactionEvaluator, used keys: Set<Key>) {
        tail = evaluator.tail
        items = evaluator.items
        if items.count > Self.maximumItems || weight > Self.maximumBytes {
            items = items.filter { keys.contains($0.key) }
            if items.count > Self.maximumItems || weight > Self.maximumBytes { items = [:] }
        }
    }

    init(tail: LogTail) {
        self.tail = tail
        items = [:]
    }

    private var weight: Int {
        items.reduce(0) { $0 + $1.key.bytes.count + ($1.value?.value.bytes.count ?? 0) }
    }
}

/// The keys that this process has written, so that it never reads an older state of them than its own.
///
/// Only for stores whose eventual reads may be behind. When there are too many, every key counts as written.
final class OwnWrites: Sendable {
    private static let maximumKeys = 10_000

    private struct State {
        var keys: Set<Key> = []
        var isOverfull = false
    }

    private let state = Mutex(State())

    /// Notes keys that are about to be written.
    func insert(_ keys: some Sequence<Key>) {
        state.withLock { state in
            guard !state.isOverfull else { return }
            state.keys.formUnion(keys)
            if state.keys.count > Self.maximumKeys { state = State(isOverfull: true) }
        }
    }

    /// Whether any key of a range may have been written.
    func touches(_ range: KeyRange) -> Bool {
        state.withLock { state in
            if state.isOverfull { return true }
            if let key = range.onlyKey { return state.keys.contains(key) }
            return state.keys.contains { range.contains($0) }
        }
    }
}
