import AWSClient
import DynamoDBPatterns

/// A lease around each job: to read a counter, and to write it one larger.
struct LeasedJobs: Contestant {
    let pattern = "Lease"
    let way = "`withLease`, around a get and a put"
    let isNaive = false
    let event = "job"
    let results = Results(count: eventCount, of: "increments")

    func prepare(at place: Place) async throws { try await prepareCounters(at: place) }

    func worker(at place: Place) throws -> Work {
        let leases = try LeaseManager("jobs", in: place.table, duration: .seconds(3))
        return { number, _ in
            try await leases.withLease(counter(of: number), waiting: .seconds(600)) { _ in
                try await incrementNaively(number, at: place)
            }
        }
    }

    func mistakes(at place: Place) async throws -> Int { try await wrongIncrements(at: place) }
}

/// Looks whether a lock is there, and writes it; deletes it in the end.
struct NaiveJobs: Contestant {
    let pattern = "Lease"
    let way = "naive: get, put and delete a lock, around a get and a put"
    let isNaive = true
    let event = "job"
    let results = Results(count: eventCount, of: "increments")

    func prepare(at place: Place) async throws { try await prepareCounters(at: place) }

    func worker(at place: Place) throws -> Work {
        { number, _ in
            let lock = "lock-\(counter(of: number))"
            while try await place.get(lock) != nil { try await place.table.clock.sleep(.milliseconds(20)) }
            try await place.put(["owner": .string("me")], at: lock)
            try await incrementNaively(number, at: place)
            _ = try await place.table.api.deleteItem(
                DeleteItemRequest(tableName: place.table.name, key: ["pk": .string(lock), "sk": .string("-")]))
        }
    }

    func mistakes(at place: Place) async throws -> Int { try await wrongIncrements(at: place) }
}
