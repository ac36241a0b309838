import AWSClient
import DynamoDBPatterns

/// An order, which is reserved, paid and shipped.
struct Order: Codable, Sendable {
    var cents: Int
    var receipt = ""
}

private let steps = ["reserve", "pay", "ship"]
private let allSteps = (0..<eventCount).flatMap { order in steps.map { "order-\(order)/\($0)" } }

/// The processor: an order is started, and who is woken for it goes on with it; the second one finds it taken.
struct ProcessedOrders: Contestant {
    let pattern = "Processor"
    let way = "`start`, `advance`"
    let isNaive = false
    let event = "process"
    let deliveries = 2
    let results = Results(count: allSteps.count, of: "steps")
    let wakesFunction = true

    private func orders(at place: Place) throws -> Processor<Order> {
        try Processor(
            "orders", in: place.table,
            steps: steps.map { name in
                Step(name) { order, context in
                    place.effects.happen("\(context.process)/\(name)")
                    order.receipt += name
                    return .done
                }
            })
    }

    func filter(at place: Place) throws -> FilterCriteria? { try orders(at: place).filterCriteria }

    func worker(at place: Place) throws -> Work {
        let orders = try orders(at: place)
        return { number, delivery in
            if delivery == 0 { try await orders.start("order-\(number)", Order(cents: number)) }
            try await orders.advance("order-\(number)")
        }
    }

    func mistakes(at place: Place) async throws -> Int { place.effects.mistakes(of: allSteps) }
}

/// Reads how far an order is, does the next step, and writes that it is done.
struct NaiveOrders: Contestant {
    let pattern = "Processor"
    let way = "naive: put, get and put a step"
    let isNaive = true
    let event = "process"
    let deliveries = 2
    let results = Results(count: allSteps.count, of: "steps")
    let wakesFunction = true

    func worker(at place: Place) throws -> Work {
        { number, delivery in
            let id = "order-\(number)"
            if delivery == 0 { try await place.put(["step": .integer(0), "receipt": .string("")], at: id) }
            for _ in steps {
                guard let item = try await place.get(id), let step = item["step"]?.int64, step < steps.count else {
                    return
                }
                let name = steps[Int(step)]
                place.effects.happen("\(id)/\(name)")
                let receipt = (item["receipt"]?.string ?? "") + name
                try await place.put(["step": .integer(step + 1), "receipt": .string(receipt)], at: id)
            }
        }
    }

    func mistakes(at place: Place) async throws -> Int { place.effects.mistakes(of: allSteps) }
}
