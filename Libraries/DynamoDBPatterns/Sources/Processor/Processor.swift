public import Logging
public import ServiceLifecycle

/// A durable state machine: runs processes of several steps to their end, or back to where they began.
///
/// Each process is one item, which names its step; a worker claims a process that is due, carries its step out, and
/// writes the result down on the condition that nobody has taken the process over since. A step that fails is tried
/// again; when its attempts are used up, the steps that began are undone, the last one first.
///
/// Any number of workers, in any number of machines, may call `runDue`, `advance` and `relay` at any time. As a `Service`
/// it carries steps out; what they send needs a second one, around `runRelay`.
public struct Processor<State: Codable & Sendable>: Service {
    /// The name in the keys of the items, which all workers of one kind of process share.
    public let name: String
    /// The table of the items, which other patterns may share.
    public let table: PatternTable
    let steps: ProcessSteps<State>
    /// How long a claim lasts, in milliseconds.
    let lease: Int64
    /// How long an ended process is kept, in seconds; `nil` for ever.
    let retention: Int64?
    let logger: Logger

    /// A processor; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, dots, underscores and hyphens; no two processors of a table share it.
    ///   - table: Where the processes are kept.
    ///   - steps: In their order. Processes under way keep to the names: a later deployment may add steps, and must
    ///     neither rename nor reorder them while there are such processes.
    ///   - lease: How long one attempt may take until others take the process over. That is safe at any time, since
    ///     whoever was taken over can write nothing, but repeats the effect.
    ///   - retention: How long an ended process is kept at least, and is told from one that was never started; `nil`
    ///     for ever.
    ///   - logger: Where to tell what goes wrong.
    /// - Throws: `PatternError` with the code `.invalidArgument`.
    public init(
        _ name: String, in table: PatternTable, steps: [Step<State>], lease: Duration = .seconds(60),
        retention: Duration? = .seconds(7 * 86400), logger: Logger = Logger(label: "DynamoDBPatterns.Processor")
    ) throws(PatternError) {
        try PatternName.check(name, of: "a processor")
        for step in steps { try PatternName.check(step.name, of: "a step") }
        guard (1...100).contains(steps.count) else {
            throw PatternError(
                .invalidArgument, "The processor “\(name)” has \(steps.count) steps.", hint: "It needs 1 to 100.")
        }
        let names = Dictionary(grouping: steps, by: \.name)
        if let step = steps.first(where: { names[$0.name]?.count != 1 }) {
            throw PatternError(
                .invalidArgument, "The processor “\(name)” has several steps that are called “\(step.name)”.",
                hint: "Give each step a name of its own.")
        }
        guard lease.milliseconds > 0 else {
            throw PatternError(.invalidArgument, "The processor “\(name)” has a lease of \(lease).")
        }
        if let step = steps.first(where: { !$0.canBeRun(within: lease) }) {
            throw PatternError(
                .invalidArgument, "The step “\(step.name)” cannot be run.",
                hint: "It needs at least one attempt, a timeout shorter than the processor's lease, and a retry's"
                    + " factor and jitter that are numbers.")
        }
        self.name = name
        self.table = table
        self.steps = ProcessSteps(steps)
        self.lease = lease.milliseconds
        self.retention = retention.map { max($0.milliseconds, 0) / 1000 }
        self.logger = logger
    }
}

extension Processor: CustomStringConvertible {
    /// What a service group calls it in its logs.
    public var description: String { "Processor(\(name))" }
}

extension Processor {
    var clock: PatternClock { table.clock }

    /// Processes that are under way.
    var prefix: PatternTable.Prefix { PatternTable.Prefix("P", name) }

    /// Processes that wait for an operator.
    var stuckPrefix: PatternTable.Prefix { PatternTable.Prefix("P", name + "#stuck") }

    /// Outboxes with messages.
    var outboxPrefix: PatternTable.Prefix { PatternTable.Prefix("P", name + "#outbox") }

    func headKey(_ id: String) -> ItemKey { ItemKey(partition: prefix.partition(id), sort: ProcessItem.head) }

    /// The partitions of the index, in any order, so that several workers begin apart.
    func duePartitions() -> [Int] {
        var chance = ClockChance(clock: clock)
        return Array(0..<table.duePartitions).shuffled(using: &chance)
    }
}

/// Chance as the clock has it.
struct ClockChance: RandomNumberGenerator {
    let clock: PatternClock
    mutating func next() -> UInt64 { clock.random() }
}

/// The names of what a processor stores.
enum ProcessItem {
    /// The sort keys: the process itself, the mark that there are messages, and before each message's number.
    static let head = "head"
    static let outbox = "outbox"
    static let message = "message#"

    static let status = "status"
    static let state = "state"
    static let step = "step"
    static let attempt = "attempt"
    static let waits = "waits"
    static let passed = "passed"
    static let version = "version"
    /// Of the write that was carried out last.
    static let token = "token"
    static let startToken = "startToken"
    static let deadline = "deadline"
    /// Why the process is to go back.
    static let cancellation = "cancellation"
    static let waitUntil = "waitUntil"
    static let messages = "messages"
    static let failure = "failure"
    static let lastError = "lastError"
    static let unknownSince = "unknownSince"
    static let signalCount = "signalCount"
    /// Before a signal's name.
    static let signal = "signal#"
    /// There while the process waits, so that a signal makes it due.
    static let waiting = "waiting"
    static let stuck = "stuck"
    /// There while a worker has the process: how many have claimed it since the last record, each after another ended.
    static let claimed = "claimed"
    /// There where an attempt of the step may have succeeded that nobody recorded.
    static let unrecorded = "unrecorded"
    /// What a stream's filter looks for.
    static let wake = "wake"
    static let topic = "topic"
    static let body = "body"
    /// The number of the first message that was not sent yet, and of the next that will come.
    static let next = "next"
    static let queued = "queued"
}

/// The steps by their order and by their names.
struct ProcessSteps<State: Codable & Sendable>: Sendable {
    let all: [Step<State>]
    private let places: [String: Int]

    init(_ steps: [Step<State>]) {
        all = steps
        places = Dictionary(steps.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(name: String) -> Step<State>? { places[name].map { all[$0] } }

    func after(_ name: String) -> Step<State>? {
        places[name].flatMap { $0 + 1 < all.count ? all[$0 + 1] : nil }
    }
}
