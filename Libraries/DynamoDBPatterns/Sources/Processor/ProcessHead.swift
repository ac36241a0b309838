import AWSClient

/// A process as its item has it.
struct ProcessHead<State: Codable & Sendable>: Sendable {
    var version: Int64
    var phase: ProcessPhase
    var state: State
    /// The step that is carried out or undone.
    var step: String
    /// How often the step was begun, with the one that the claim, or the record of the step before, counts already.
    var attempt: Int
    /// How many of them ended in waiting, or were given back by a worker that stopped.
    var waits: Int
    /// Forward, the steps that are done; backward, those that are still to be undone, the one at work last.
    var passed: [String]
    var deadline: Int64?
    /// Why it is to go back, where somebody has cancelled it.
    let cancellation: String?
    /// When waiting for a signal has failed.
    var waitUntil: Int64?
    /// How many messages were put into the outbox so far.
    var messages: Int64
    /// Why it was turned back.
    var failure: String?
    /// What went wrong last.
    var lastError: String?
    /// When a worker that does not know the step met it first; `nil` if none did.
    var unknownSince: Int64?
    /// Until when the claim lasts, in milliseconds since 1970.
    var claimedUntil: Int64
    /// Whether an attempt of the step may have succeeded that nobody recorded: its worker ended, or could not.
    var isUnrecorded: Bool
    /// How often this worker has claimed it again since the last step; of the worker, and not of the item.
    var renewals = 0
    let signalCount: Int64
    let signals: [String: AttributeValue]

    /// Which attempt is counted.
    var tries: Int { attempt - waits }
}

extension ProcessHead {
    /// What the item says.
    ///
    /// - Throws: `PatternError` with the code `.corrupt`.
    init(_ item: StoredItem) throws(PatternError) {
        guard let version = item[ProcessItem.version]?.int64,
            let phase = item[ProcessItem.status]?.string.flatMap(ProcessPhase.init(rawValue:)),
            let step = item[ProcessItem.step]?.string, let stored = item[ProcessItem.state],
            let attempt = item[ProcessItem.attempt]?.int, let waits = item[ProcessItem.waits]?.int,
            let passed = item[ProcessItem.passed]?.list,
            // What is counted on, without a trap.
            [version, Int64(attempt), Int64(waits)].allSatisfy((0..<Int64.max / 2).contains),
            phase != .compensating || !passed.isEmpty
        else { throw PatternError(.corrupt, "A process's item lacks what each has.") }
        do {
            state = try AttributeDecoder().decode(State.self, from: stored)
        } catch {
            // Not the error itself: who knows what a type's own decoding says of its values.
            throw PatternError(
                .corrupt, "A process's state is not one of “\(State.self)”.",
                hint: "Was the type changed while the process was under way?")
        }
        self.version = version
        self.phase = phase
        self.step = step
        self.attempt = attempt
        self.waits = waits
        self.passed = passed.compactMap(\.string)
        deadline = item[ProcessItem.deadline]?.int64
        cancellation = item[ProcessItem.cancellation]?.string
        waitUntil = item[ProcessItem.waitUntil]?.int64
        messages = min(max(item[ProcessItem.messages]?.int64 ?? 0, 0), Int64.max / 2)
        failure = item[ProcessItem.failure]?.string
        lastError = item[ProcessItem.lastError]?.string
        unknownSince = item[ProcessItem.unknownSince]?.int64
        isUnrecorded = item[ProcessItem.unrecorded] != nil || item[ProcessItem.claimed]?.int64 ?? 0 > 1
        claimedUntil = item[PatternTable.Attribute.due]?.int64 ?? 0
        signalCount = item[ProcessItem.signalCount]?.int64 ?? 0
        signals = item.reduce(into: [:]) { signals, attribute in
            // By bytes, as a name may begin with an accent.
            guard attribute.key.utf8.starts(with: ProcessItem.signal.utf8) else { return }
            signals[String(Substring(attribute.key.utf8.dropFirst(ProcessItem.signal.utf8.count)))] = attribute.value
        }
    }

    /// Writes everything that a worker changes.
    func write(to update: inout ItemUpdate) throws {
        update.set(ProcessItem.status, .string(phase.rawValue))
        update.set(ProcessItem.state, try AttributeEncoder().attribute(of: state))
        update.set(ProcessItem.step, .string(step))
        update.set(ProcessItem.attempt, .integer(attempt))
        update.set(ProcessItem.waits, .integer(waits))
        update.set(ProcessItem.passed, .list(passed.map(AttributeValue.string)))
        update.set(ProcessItem.version, .integer(version))
        update.set(ProcessItem.messages, .integer(messages))
        update.set(ProcessItem.waitUntil, orRemove: waitUntil.map { .integer($0) })
        update.set(ProcessItem.failure, orRemove: failure.map { .string($0) })
        update.set(ProcessItem.lastError, orRemove: lastError.map { .string($0) })
        update.set(ProcessItem.unrecorded, orRemove: isUnrecorded ? .bool(true) : nil)
        update.set(ProcessItem.unknownSince, orRemove: unknownSince.map { .integer($0) })
    }
}

extension ItemUpdate {
    fileprivate mutating func set(_ name: String, orRemove value: AttributeValue?) {
        if let value { set(name, value) } else { remove(name) }
    }
}
