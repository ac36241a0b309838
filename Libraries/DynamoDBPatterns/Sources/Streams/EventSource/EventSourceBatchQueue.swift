#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The records of one shard, or of one of its concurrent parts, that wait for the function, in their order.
struct EventSourceBatchQueue: Sendable {
    /// One record.
    struct Entry: Sendable {
        /// As Lambda spells it.
        var json: [UInt8]
        var sequence: String
        var created: Date
    }

    /// Records that are given to the function together.
    struct Batch: Sendable {
        var entries: [Entry]
        /// How often they were given to the function.
        var invocations = 0
        /// How many of those count as tries.
        var failures = 0
        /// Whether the function threw, at the last of them.
        var functionFailed = false
        /// Whether they are delivered once more although they succeeded.
        var isRepeated = false
    }

    /// An event for a function is no larger than 6 MB.
    static let maximumBytes = 6 * 1024 * 1024
    /// What an event has beside its records and their commas.
    static let envelopeBytes = #"{"Records":[]}"#.utf8.count

    /// The records that are in no batch yet.
    private var waiting: [Entry] = []
    /// Since when the batching window is open.
    private var waitingSince = Date.distantPast
    /// Batches to be delivered, one after the other.
    private(set) var batches: [Batch] = []

    var count: Int { waiting.count + batches.reduce(0) { $0 + $1.entries.count } }

    mutating func add(_ entry: Entry, at now: Date) {
        if waiting.isEmpty { waitingSince = now }
        waiting.append(entry)
    }

    /// When the window closes; `nil` if nothing waits.
    func windowEnd(_ mapping: EventSourceMapping) -> Date? {
        waiting.isEmpty ? nil : waitingSince + Double(mapping.batchingWindow.components.seconds)
    }

    /// Makes a batch of what waits, where there is none, and it is large or old enough.
    mutating func makeBatch(_ mapping: EventSourceMapping, at now: Date) {
        guard batches.isEmpty, let end = windowEnd(mapping) else { return }
        var count = 0
        var bytes = Self.envelopeBytes
        while count < min(waiting.count, mapping.batchSize) {
            bytes += waiting[count].json.count + 1
            guard bytes <= Self.maximumBytes || count == 0 else { break }
            count += 1
        }
        guard now >= end || count < waiting.count || count == mapping.batchSize else { return }
        batches = [Batch(entries: Array(waiting[..<count]))]
        waiting.removeFirst(count)
        waitingSince = now
    }

    /// Counts a delivery of the first batch.
    mutating func countInvocation() { batches[0].invocations += 1 }

    /// Keeps the first batch for one more delivery; `false` if it had that already.
    mutating func repeatFirst() -> Bool {
        defer { batches[0].isRepeated = true }
        return !batches[0].isRepeated
    }

    /// Takes records off the first batch, which succeeded or were given up.
    mutating func drop(_ count: Int) {
        batches[0].entries.removeFirst(count)
        if batches[0].entries.isEmpty { batches.removeFirst() }
    }

    /// The first batch failed, from its record `first` on.
    ///
    /// Splitting uses up no try, be it at the record that failed or in the middle.
    mutating func fail(from first: Int, bisecting: Bool, functionFailed: Bool) {
        batches[0].functionFailed = functionFailed
        if first > 0 { drop(first) }
        if bisecting, first > 0 { return }
        if bisecting, batches[0].entries.count > 1 { return split() }
        batches[0].failures += 1
    }

    private mutating func split() {
        let middle = (batches[0].entries.count + 1) / 2
        var second = batches[0]
        second.entries.removeFirst(middle)
        batches[0].entries.removeSubrange(middle...)
        batches.insert(second, at: 1)
    }
}
