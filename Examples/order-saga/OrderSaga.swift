import AWSClient
import DynamoDBPatterns
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// An order, its payment and its shipment; a payment that fails is undone together with what came before it.
///
/// The worker and the relay are services of a group, as in a server: at SIGTERM the step at work may end, nothing else is
/// begun, and another worker goes on at once.
@main
struct OrderSaga {
    struct Order: Codable, Sendable {
        var item: String
        var card: String
        var payment: String?
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
        try await PatternTable.create("order-saga", in: DynamoDB(client))
        let table = PatternTable("order-saga", in: DynamoDB(client))
        let orders = try Processor<Order>("orders", in: table, steps: steps)

        // What the steps send is written together with their progress, and is delivered from there.
        let (messages, relayed) = AsyncStream.makeStream(of: String.self)
        let relay = ClosureService {
            try await orders.runRelay { message in
                relayed.yield("\(message.process): \(message.topic), \(try message.decode(String.self))")
            }
        }
        let caller = ClosureService {
            try await placeOrders(orders)
            for await message in messages.prefix(1) { print("MESSAGE of \(message)") }
        }
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: orders), .init(service: relay),
                    // A server has none that ends: this one ends the example.
                    .init(service: caller, successTerminationBehavior: .gracefullyShutdownGroup),
                ],
                gracefulShutdownSignals: [.sigterm], logger: Logger(label: "order-saga"))
        ).run()
        try await client.shutdown()
    }

    /// Starts two orders, one after the other, and waits for their ends.
    static func placeOrders(_ orders: Processor<Order>) async throws {
        let run = "\(UInt32.random(in: 0 ... .max))"
        for (id, card) in [("good-\(run)", "4242"), ("poor-\(run)", "0000")] {
            print("start \(id): \(try await orders.start(id, Order(item: "book", card: card)))")
            print("start \(id) again: \(try await orders.start(id, Order(item: "book", card: card)))")
            while try await orders.status(of: id)?.phase.isEnd == false {
                try await Task.sleep(for: .milliseconds(50))
            }
            print("end of \(id): \(try await orders.status(of: id).map { "\($0.phase)" } ?? "unknown")")
        }
    }

    static let steps = [
        Step<Order>("reserve") { order, _ in
            print("  reserve a \(order.item)")
            return .done
        } compensation: { order, _ in
            print("  put the \(order.item) back")
        },
        Step<Order>("pay", retry: StepRetry(attempts: 2, first: .milliseconds(50))) { order, step in
            // The key is the same for each attempt: the bank takes the money once.
            print("  pay with card \(order.card), attempt \(step.attempt)")
            if order.card == "0000" { throw CardRefused() }
            order.payment = step.idempotencyKey
            return .done
        } compensation: { order, _ in
            print("  pay back, if anything was paid: \(order.payment == nil ? "nothing known" : "yes")")
        },
        Step<Order>("ship") { order, step in
            print("  ship the \(order.item)")
            try step.send("shipped", order.item)
            return .done
        },
    ]

    struct CardRefused: Error {}
}
