import AWSClient
import DynamoDBPatterns
import Foundation

/// An alert at the first ten clicks of a session, and never again at the eleventh or twelfth.
///
/// Clicks come twice, as queues deliver them. The function that sends the alert is woken by the table's stream, once:
/// its event source mapping has the filter that the aggregator gives.
@main
struct ClickAlert {
    struct Click: Codable, Sendable {
        var page: String
    }

    static func main() async {
        // An error that leaves main() is printed as a crash. Caught, it is one line that says what to do.
        do { try await run() } catch {
            print(error)
            exit(1)
        }
    }

    static func run() async throws {
        let client = try AWSClient(configuration: AWSConfiguration(environment: .process()))
        try await PatternTable.create("click-alert", in: DynamoDB(client))
        let table = PatternTable("click-alert", in: DynamoDB(client))
        let clicks = try Aggregator(
            "clicks", of: Click.self, in: table, rule: .count(10), timeout: .seconds(3600))

        let session = "session-\(UInt32.random(in: 0 ... .max))"
        for number in 1...12 {
            for delivery in ["first", "second"] {
                let addition = try await clicks.add(
                    Click(page: "/page/\(number)"), id: "click-\(number)", to: session)
                print("click \(number), \(delivery) delivery: \(addition)")
            }
        }
        try await deliverStream(of: "click-alert", to: clicks, client)
        try await client.shutdown()
    }

    /// What Lambda does: reads the stream, filters, and wakes the function.
    ///
    /// In Lambda, `answer` is the whole handler.
    static func deliverStream(
        of name: String, to clicks: Aggregator<Click, NoValue>, _ client: AWSClient
    ) async throws {
        let alerts = try StreamProcessor<[String: AttributeValue]>("alerts") { change in
            _ = try await clicks.handle(change.record) { set in
                print("ALERT for \(set.key): \(set.count) clicks, key \(set.idempotencyKey.prefix(16))…")
                return []
            }
        }
        let table = try await DynamoDB(client).describeTable(.init(tableName: name)).table
        guard let stream = table?.latestStreamArn else { return print("The table has no stream.") }
        var runner = EventSourceRunner(
            try EventSourceMapping(filter: clicks.filterCriteria), of: stream, in: DynamoDBStreams(client)
        ) { event in try await alerts.answer(event: event) }
        let progress = try await runner.drain()
        print("\(progress.read) records, \(progress.filtered) filtered, \(progress.invocations) invocation(s)")
    }
}
