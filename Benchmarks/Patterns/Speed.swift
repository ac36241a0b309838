import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import Logging
import Synchronization

/// How a contestant did with a number of workers on the stand-in.
struct Speed: Sendable {
    let eventsPerSecond: Double
    let requestsPerEvent: Double
    let mistakes: Int
    /// How many calls gave up because of others, and were made again.
    let givenUp: Int
}

extension Contestant {
    /// Has all events come, as often as they do, to workers each of which takes the next one when it is ready.
    func speed(workers: Int, on endpoint: String) async throws -> Speed {
        let ledger = Ledger()
        let table = "patterns-\(UInt64.random(in: 0 ... .max))"
        let dynamoDB = try StandIn.dynamoDB(endpoint, ledger: ledger)
        try await PatternTable.create(table, in: dynamoDB)
        let place = Place(table, in: dynamoDB)
        try await prepare(at: place)
        var works: [Work] = []
        for _ in 0..<workers {
            let own = Place(table, in: try StandIn.dynamoDB(endpoint, ledger: ledger), effects: place.effects)
            _ = try await own.get("nothing")
            works.append(try worker(at: own))
        }
        let queue = Queue(until: eventCount / eventsInOrder * deliveries)
        _ = ledger.take()
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for work in works {
                group.addTask {
                    while let next = queue.next() { try await work(next / deliveries, next % deliveries) }
                }
            }
            try await group.waitForAll()
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let requests = ledger.take()
        _ = try await finish(at: place)
        return Speed(
            eventsPerSecond: Double(eventCount) / seconds,
            requestsPerEvent: Double(requests) / Double(eventCount), mistakes: try await mistakes(at: place),
            givenUp: place.effects.count(of: Effects.givenUp))
    }
}

/// Clients of the stand-in.
enum StandIn {
    /// Connections are shared: what a network costs is not measured here.
    private static let transport = AsyncHTTPClientTransport(connectTimeout: .seconds(5))

    static func dynamoDB(_ endpoint: String, ledger: Ledger) throws -> DynamoDB {
        var options = AWSClient.Options(onCall: { ledger.count(requests: $0.attempts) })
        // The stand-in takes one request at a time: what is measured is waiting for it.
        options.timeouts.request = .seconds(30)
        options.timeouts.transaction = .seconds(30)
        return DynamoDB(
            try AWSClient(
                region: Ministack.region, endpoint: endpoint,
                credentials: StaticCredentials(
                    accessKeyID: Ministack.rootKey.id, secretAccessKey: Ministack.rootKey.secret),
                transport: transport, options: options,
                logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }))
    }
}

/// Adds up requests.
final class Ledger: Sendable {
    private let sum = Mutex(0)

    func count(requests: Int) { sum.withLock { $0 += requests } }

    func take() -> Int {
        sum.withLock { sum in
            defer { sum = 0 }
            return sum
        }
    }
}

/// Hands each number out once, in their order.
private final class Queue: Sendable {
    private let count = Mutex(0)
    private let end: Int

    init(until end: Int) { self.end = end }

    func next() -> Int? {
        count.withLock { count in
            guard count < end else { return nil }
            defer { count += 1 }
            return count
        }
    }
}
