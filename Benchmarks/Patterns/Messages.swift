import AWSClient
import DynamoDBPatterns

private let messages = (0..<eventCount).map { "message-\($0)" }

/// What a message asks for: one more in a counter, which is among ten.
private func increment(_ number: Int, at place: Place) -> UpdateItemRequest {
    UpdateItemRequest(
        tableName: place.table.name, key: ["pk": .string(counter(of: number)), "sk": .string("-")],
        updateExpression: "ADD #count :one", expressionAttributeNames: ["#count": "count"],
        expressionAttributeValues: [":one": .integer(1)])
}

/// An inbox whose receiver hands out one write; each message comes twice.
struct ReceivedMessages: Contestant {
    let pattern = "Inbox"
    let way = "`receive` with a write"
    let isNaive = false
    let event = "message"
    let deliveries = 2
    let results = Results(count: eventCount, of: "increments")

    func prepare(at place: Place) async throws { try await prepareCounters(at: place) }

    func worker(at place: Place) throws -> Work {
        let inbox = try Inbox("messages", in: place.table)
        return { number, _ in
            let write = increment(number, at: place)
            try await place.insist(on: .busy) {
                try await inbox.receive(messages[number]) { call in
                    call.write(
                        .update(
                            .init(
                                tableName: write.tableName, key: write.key,
                                updateExpression: write.updateExpression ?? "",
                                expressionAttributeNames: write.expressionAttributeNames,
                                expressionAttributeValues: write.expressionAttributeValues)))
                }
            }
        }
    }

    func mistakes(at place: Place) async throws -> Int { try await wrongIncrements(at: place) }
}

/// An inbox whose receiver is one transaction, which reads a counter and saves it.
struct TransactedMessages: Contestant {
    let pattern = "Inbox"
    let way = "`transact`: load, save"
    let isNaive = false
    let event = "message"
    let deliveries = 2
    let results = Results(count: eventCount, of: "increments")

    func prepare(at place: Place) async throws { try await prepareCounters(at: place) }

    func worker(at place: Place) throws -> Work {
        let inbox = try Inbox("messages", in: place.table)
        let counters = counters(at: place)
        return { number, _ in
            try await place.insist(on: .contention) {
                try await inbox.transact(messages[number]) { transaction in
                    let key = PrimaryKey(counter(of: number), "-")
                    guard var counter = try await transaction.load(key, from: counters) else { return }
                    counter.item.count += 1
                    try transaction.save(counter, in: counters)
                }
            }
        }
    }

    func mistakes(at place: Place) async throws -> Int { try await wrongIncrements(at: place) }
}

/// Looks whether a message was handled, handles it, and notes that.
struct NaiveMessages: Contestant {
    let pattern = "Inbox"
    let way = "naive: get, `ADD`, put"
    let isNaive = true
    let event = "message"
    let deliveries = 2
    let results = Results(count: eventCount, of: "increments")

    func prepare(at place: Place) async throws { try await prepareCounters(at: place) }

    func worker(at place: Place) throws -> Work {
        { number, _ in
            guard try await place.get(messages[number]) == nil else { return }
            _ = try await place.table.api.updateItem(increment(number, at: place))
            try await place.put(["isHandled": .bool(true)], at: messages[number])
        }
    }

    func mistakes(at place: Place) async throws -> Int { try await wrongIncrements(at: place) }
}
