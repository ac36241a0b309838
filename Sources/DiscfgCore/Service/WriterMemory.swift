import Synchronization

/// What a writer knows of a config between two commits: the tail of the log, and items as they stand there.
///
/// With it a write is one step of the store: nothing has to be read first. It may be out of date when others write; the
/// append notices, because revisions have no gaps.
struct WriterMemory: Sendable {
    /// The most that is kept.
    static let maximumItems = 4096
    static let maximumBytes = 8 << 20
    private static let largestLearnt = 4096

    var tail: LogTail
    /// A `nil` is known to be absent.
    var items: [Key: Item?]

    /// What is worth keeping of an evaluator's knowledge: all of it, or only what was just used when that is too much.
    init(_ evaluator: Evaluator, used keys: Set<Key>) {
        self.init(evaluator)
        if items.count > Self.maximumItems || weight > Self.maximumBytes {
            items = items.filter { keys.contains($0.key) }
            if items.count > Self.maximumItems || weight > Self.maximumBytes { items = [:] }
        }
    }

    /// All of an evaluator's knowledge.
    init(_ evaluator: Evaluator) {
        tail = evaluator.tail
        items = evaluator.items
    }

    init(tail: LogTail) {
        self.tail = tail
        items = [:]
    }

    /// Takes over commits that others made, where they follow what is known.
    mutating func learn(_ page: LogPage) {
        guard page.incarnation == tail.incarnation else { return }
        for commit in page.commits where commit.revision == tail.revision + 1 {
            for change in commit.changes where items.keys.contains(change.key) && !isPlanted(.learnsTailOnly) {
                let isLarge = change.item.map { $0.value.bytes.count > Self.largestLearnt } ?? false
                items[change.key] = isLarge ? nil : .some(change.item)
            }
            (tail.revision, tail.time) = (commit.revision, commit.time)
        }
    }

    private var weight: Int {
        items.reduce(0) { $0 + $1.key.bytes.count + ($1.value?.value.bytes.count ?? 0) }
    }
}

/// Where a config's writer keeps its memory between two batches, and others tell it what they have read.
final class WriterMemorySlot: Sendable {
    private let memory = Mutex<WriterMemory?>(nil)

    /// Takes the memory out, so that there is one owner and changing it copies nothing.
    func take() -> WriterMemory? {
        memory.withLock { memory in
            defer { memory = nil }
            return memory
        }
    }

    func put(_ new: WriterMemory) { memory.withLock { $0 = new } }

    /// Takes over what a follower of the log has read, so that the next write need not be beaten to learn of it.
    func learn(_ page: LogPage) {
        if !page.commits.isEmpty { memory.withLock { $0?.learn(page) } }
    }
}

/// The keys that this process has written lately, so that it never reads an older state of them than its own.
///
/// Only for stores whose eventual reads may be behind: by a second at most, as AWS says of DynamoDB; what is older than a
/// minute or two need not be remembered. When there are too many, every key counts as written.
final class OwnWrites: Sendable {
    private static let maximumKeys = 10_000
    private static let age: Duration = .seconds(60)

    private struct Generation {
        var keys: Set<Key> = []
        var isOverfull = false

        mutating func insert(_ new: some Sequence<Key>) {
            guard !isOverfull else { return }
            keys.formUnion(new)
            if keys.count > OwnWrites.maximumKeys { self = Generation(isOverfull: true) }
        }

        func touches(_ range: KeyRange) -> Bool {
            if isOverfull { return true }
            if let key = range.onlyKey { return keys.contains(key) }
            return keys.contains { range.contains($0) }
        }
    }

    /// The last minute, or part of it, and the minute before.
    private struct State {
        var current = Generation()
        var previous = Generation()
        var since: ContinuousClock.Instant

        mutating func age(_ now: ContinuousClock.Instant) {
            let elapsed = now - since
            guard elapsed > OwnWrites.age else { return }
            previous = elapsed > OwnWrites.age * 2 ? Generation() : current
            (current, since) = (Generation(), now)
        }
    }

    private let state: Mutex<State>
    private let time: TimeSource

    init(time: TimeSource) {
        state = Mutex(State(since: time.instant()))
        self.time = time
    }

    /// Notes keys that are about to be written.
    func insert(_ keys: some Sequence<Key>) {
        state.withLock { state in
            state.age(time.instant())
            state.current.insert(keys)
        }
    }

    /// Whether any key of a range may have been written.
    func touches(_ range: KeyRange) -> Bool {
        state.withLock { state in
            state.age(time.instant())
            if isPlanted(.forgetsOwnWrites) { return false }
            return state.current.touches(range) || state.previous.touches(range)
        }
    }
}
