import AWSClient
import DynamoDBPatterns

/// A sharded counter: all events count one thing.
struct ShardedLikes: Contestant {
    let pattern = "Sharded counter"
    let way: String
    /// Whether each increment comes twice, and is recognised by its request.
    let hasRequests: Bool
    let isNaive = false
    let event = "increment"
    var deliveries: Int { hasRequests ? 2 : 1 }
    let results = Results(count: eventCount, of: "increments")

    private func likes(at place: Place) throws -> ShardedCounter {
        try ShardedCounter("likes", in: place.table, shards: 10)
    }

    func worker(at place: Place) throws -> Work {
        let likes = try likes(at: place)
        return { number, _ in
            if hasRequests {
                try await likes.add(1, to: "video", request: "\(number)")
            } else {
                try await likes.add(1, to: "video")
            }
        }
    }

    func finish(at place: Place) async throws -> Finish? {
        _ = try await likes(at: place).value(of: "video")
        return hasRequests ? nil : Finish(way: "`value(of:)`, 10 shards", event: "value")
    }

    func mistakes(at place: Place) async throws -> Int {
        abs(eventCount - Int(try await likes(at: place).value(of: "video")))
    }
}

/// Adds to one item, whichever event it is.
struct NaiveLikes: Contestant {
    let pattern = "Sharded counter"
    let way = "naive: `ADD` to one item"
    let isNaive = true
    let event = "increment"
    let deliveries = 2
    let results = Results(count: eventCount, of: "increments")

    func worker(at place: Place) throws -> Work {
        { _, _ in
            _ = try await place.table.api.updateItem(
                UpdateItemRequest(
                    tableName: place.table.name, key: ["pk": .string("video"), "sk": .string("-")],
                    updateExpression: "ADD likes :one", expressionAttributeValues: [":one": .integer(1)]))
        }
    }

    func finish(at place: Place) async throws -> Finish? {
        _ = try await place.get("video")
        return Finish(way: "naive: get", event: "value")
    }

    func mistakes(at place: Place) async throws -> Int {
        abs(eventCount - Int(try await place.get("video")?["likes"]?.int64 ?? 0))
    }
}
