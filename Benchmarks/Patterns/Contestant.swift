import DynamoDBPatterns

/// One way to do a pattern's work: with the library, or naively.
protocol Contestant: Sendable {
    var pattern: String { get }
    var way: String { get }
    var isNaive: Bool { get }
    /// What an event is, in a word.
    var event: String { get }
    /// How many events follow on each other in their order, and so are one worker's.
    var eventsInOrder: Int { get }
    /// How often each event comes where speed is measured.
    var deliveries: Int { get }
    /// What comes out of all events.
    var results: Results { get }
    /// Whether records of the table's stream wake a function.
    var wakesFunction: Bool { get }
    /// Which records do; `nil` for all.
    func filter(at place: Place) throws -> FilterCriteria?
    /// What has to be there before the first event.
    func prepare(at place: Place) async throws
    /// A worker, which shares nothing with others but the table.
    func worker(at place: Place) throws -> Work
    /// What is done once when all events have come.
    ///
    /// - Returns: Its name and that of what it costs; `nil` if there is no such step.
    func finish(at place: Place) async throws -> Finish?
    /// How many of the results are wrong.
    func mistakes(at place: Place) async throws -> Int
}

extension Contestant {
    var eventsInOrder: Int { 1 }
    var deliveries: Int { 1 }
    var wakesFunction: Bool { false }
    func filter(at place: Place) throws -> FilterCriteria? { nil }
    func prepare(at place: Place) async throws {}
    func finish(at place: Place) async throws -> Finish? { nil }
}

/// So many sets, members or whatever comes out.
struct Results: Sendable {
    let count: Int
    let of: String
}

/// What is done once for all events, as the reading of their sum.
struct Finish: Sendable {
    let way: String
    let event: String
}

/// Handles a delivery, numbered from 0, of an event, or of several that have to stay in order.
typealias Work = @Sendable (_ number: Int, _ delivery: Int) async throws -> Void

/// How many events each measurement has.
let eventCount = 1000

let contestants: [any Contestant] = [
    CountingClicks(way: "`.count(10)`", rule: .count(10)),
    CountingClicks(
        way: "`.merging`",
        rule: .merging(into: 0, { sum, click in sum += click.weight }, until: { _, count in count == 10 })),
    CountingClicks(way: "`.count(10)`, members `.asItems`", rule: .count(10), storage: .asItems),
    NaiveClicks(),
    CollectedSales(), NaiveSales(),
    ProcessedOrders(), NaiveOrders(),
    LockedCounters(), NaiveCounters(),
    RecordedPrices(), NaivePrices(),
    HandledCalls(), NaiveCalls(),
    ReceivedMessages(), TransactedMessages(), NaiveMessages(),
    LeasedJobs(), NaiveJobs(),
    ClaimedNames(), NaiveNames(),
    ShardedLikes(way: "`add`", hasRequests: false),
    ShardedLikes(way: "`add` with a request", hasRequests: true),
    NaiveLikes(),
    AnsweredBatches(way: "`QueueProcessor`", source: .queue),
    AnsweredBatches(way: "`KinesisProcessor`", source: .kinesis),
    NaiveBatches(),
]
