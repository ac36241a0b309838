import AWSClient
import DynamoDBPatterns

private let calls = (0..<eventCount).map { "call-\($0)" }

/// An idempotent handler: each call is made twice.
struct HandledCalls: Contestant {
    let pattern = "Idempotent handler"
    let way = "`handle`"
    let isNaive = false
    let event = "call"
    let deliveries = 2
    let results = Results(count: calls.count, of: "calls")

    func worker(at place: Place) throws -> Work {
        let handler = try IdempotentHandler<Int>("calls", in: place.table)
        return { number, _ in
            try await place.insist(on: .busy) {
                try await handler.handle(calls[number], payload: number) { call in
                    place.effects.happen(call.key)
                    return number
                }
            }
        }
    }

    func mistakes(at place: Place) async throws -> Int { place.effects.mistakes(of: calls) }
}

/// Looks whether a call was handled, handles it, and notes that.
struct NaiveCalls: Contestant {
    let pattern = "Idempotent handler"
    let way = "naive: get, put"
    let isNaive = true
    let event = "call"
    let deliveries = 2
    let results = Results(count: calls.count, of: "calls")

    func worker(at place: Place) throws -> Work {
        { number, _ in
            guard try await place.get(calls[number]) == nil else { return }
            place.effects.happen(calls[number])
            try await place.put(["answer": .integer(number)], at: calls[number])
        }
    }

    func mistakes(at place: Place) async throws -> Int { place.effects.mistakes(of: calls) }
}
