import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Logging
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the tests' processes work on.
struct Order: Codable, Sendable, Hashable {
    /// The steps whose record was written, in order, and `!` before those that were undone.
    var steps: [String] = []
    /// What was put into the outbox, in order.
    var sent: [String] = []
    var payment: String?
}

/// A table in memory, a time that the test moves, and a ledger of what was done outside.
struct ProcessorWorld: Sendable {
    /// Says nothing.
    static let logger = Logger(label: "processor.test") { _ in SwiftLogNoOpLogHandler() }

    let store: MemoryDynamoDB
    let simulation = Simulation(seed: 1)
    let ledger = EffectLedger()

    init() throws {
        store = MemoryDynamoDB(clock: simulation.clock.now)
        try store.createPatternTable("patterns")
    }

    func table(_ api: (any DynamoDBAPI)? = nil) -> PatternTable {
        PatternTable("patterns", in: api ?? store, clock: simulation.clock)
    }

    func processor(
        _ steps: [Step<Order>], in api: (any DynamoDBAPI)? = nil, lease: Duration = .seconds(60)
    ) throws -> Processor<Order> {
        try Processor("orders", in: table(api), steps: steps, lease: lease, logger: Self.logger)
    }

    /// Steps that do nothing but write themselves down.
    func steps(_ names: String...) -> [Step<Order>] { names.map { step($0) } }

    /// A step that writes itself down, here and outside.
    func step(
        _ name: String, retry: StepRetry = StepRetry(), compensatesFailures: Bool = true,
        isCompensated: Bool = true,
        _ work: @escaping @Sendable (inout Order, StepContext) async throws -> StepOutcome = { _, _ in .done }
    ) -> Step<Order> {
        Step(name, retry: retry, compensatesFailures: compensatesFailures) { [ledger] order, context in
            ledger.note(context.idempotencyKey)
            order.steps.append(name)
            return try await work(&order, context)
        } compensation: { [ledger] order, context in
            guard isCompensated else { throw PatternError(.poison, "There is no way back from “\(name)”.") }
            ledger.note(context.idempotencyKey)
            order.steps.append("!" + name)
        }
    }

    /// The time, so many seconds from now.
    func time(in seconds: Double) -> Date { simulation.clock.now().addingTimeInterval(seconds) }

    /// An item of a process, by its sort key.
    func item(_ id: String, _ sort: String = "head") -> [String: AttributeValue]? {
        store.items(in: "patterns").first { $0["pk"] == .string("P#orders#\(id)") && $0["sk"] == .string(sort) }
    }
}

/// What happened, in order.
final class EffectLedger: Sendable {
    private let entries = Mutex<[String]>([])

    var all: [String] { entries.withLock { $0 } }

    func note(_ entry: String) { entries.withLock { $0.append(entry) } }

    /// How many times something happened.
    func count(of entry: String) -> Int { all.count { $0 == entry } }
}

/// A failure that another try may mend.
struct Outage: Error {}
