import AWSClient
import DynamoDBPatterns

/// The job of an event: a hundred of them, each of which takes numbers one by one.
private func job(of number: Int) -> String { "job-\(number % 100)" }

/// Reads the number of a job, and writes the next one: right if nobody else does at that time.
private func takeNumber(_ job: String, at place: Place) async throws {
    let number = try await place.get("number-\(job)")?["number"]?.int64 ?? 0
    try await place.put(["number": .integer(number + 1)], at: "number-\(job)")
}

private func wrongNumbers(at place: Place) async throws -> Int {
    var mistakes = 0
    for number in 0..<100 {
        let taken = try await place.get("number-\(job(of: number))")?["number"]?.int64 ?? 0
        mistakes += abs(eventCount / 100 - Int(taken))
    }
    return mistakes
}

/// A lease around each job.
struct LeasedJobs: Contestant {
    let pattern = "Lease"
    let way = "`withLease`, around a get and a put"
    let isNaive = false
    let event = "job"
    let results = Results(count: eventCount, of: "numbers")

    func worker(at place: Place) throws -> Work {
        let leases = try LeaseManager("jobs", in: place.table)
        return { number, _ in
            try await leases.withLease(job(of: number), waiting: .seconds(60)) { _ in
                try await takeNumber(job(of: number), at: place)
            }
        }
    }

    func mistakes(at place: Place) async throws -> Int { try await wrongNumbers(at: place) }
}

/// Looks whether a lock is there, and writes it; deletes it in the end.
struct NaiveJobs: Contestant {
    let pattern = "Lease"
    let way = "naive: get, put and delete a lock, around a get and a put"
    let isNaive = true
    let event = "job"
    let results = Results(count: eventCount, of: "numbers")

    func worker(at place: Place) throws -> Work {
        { number, _ in
            let lock = "lock-\(job(of: number))"
            while try await place.get(lock) != nil { try await place.table.clock.sleep(.milliseconds(20)) }
            try await place.put(["owner": .string("me")], at: lock)
            try await takeNumber(job(of: number), at: place)
            _ = try await place.table.api.deleteItem(
                DeleteItemRequest(tableName: place.table.name, key: ["pk": .string(lock), "sk": .string("-")]))
        }
    }

    func mistakes(at place: Place) async throws -> Int { try await wrongNumbers(at: place) }
}
