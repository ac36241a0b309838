import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Synchronization
import Testing

@Suite struct FaultSweepTests {
    @Test("Every call meets every fault that can happen to it, and the scenario passes where it is idempotent")
    func everything() async throws {
        let seen = Mutex<Set<String>>([])
        let runs = try await FaultSweep.run { run in
            let register = try Register()
            try await run.deliver(to: register.store) { api in
                guard try await register.read(api) == 0 else { return }
                do {
                    try await register.write(1, ifIs: 0, api)
                } catch let error as AWSError where error.code == .conditionalCheckFailed {}
            }
            try run.check(register.value == 1, "\(register.value) instead of 1")
            seen.withLock { _ = $0.insert(run.description) }
        }
        // The read cannot meet a conflict.
        #expect(runs == 1 + Fault.allCases.count * 2 - 1)
        let descriptions = seen.withLock { $0 }
        #expect(descriptions.count == runs)
        #expect(descriptions.contains("no fault"))
        #expect(descriptions.contains("call 2 (PutItem) lostReplyThenRetried"))
    }

    @Test("A message that is counted twice when its answer is lost is found, and named")
    func notIdempotent() async throws {
        let failure = await #expect(throws: FaultSweepFailure.self) {
            try await FaultSweep.run { run in
                let register = try Register()
                try await run.deliver(to: register.store) { try await register.add($0) }
                try run.check(register.value == 1, "\(register.value) instead of 1")
            }
        }
        #expect(failure?.description == "With call 1 (UpdateItem) crashAfter: 2 instead of 1")
    }

    @Test("Two faults in a run find what one does not: a repair that is lost itself")
    func twice() async throws {
        @Sendable func scenario(_ run: FaultedRun) async throws {
            let register = try Register()
            // The first delivery writes; a second one would write again, unless the mark for it is lost as well.
            let deliveries = Mutex(0)
            try await run.deliver(to: register.store) { api in
                let delivery = deliveries.withLock {
                    $0 += 1
                    return $0
                }
                try await register.write(delivery < 3 ? 1 : 2, api)
            }
            try run.check(register.value == 1, "\(register.value) instead of 1")
        }
        try await FaultSweep.run(scenario)
        let failure = await #expect(throws: FaultSweepFailure.self) { try await FaultSweep.run(depth: 2, scenario) }
        #expect(failure?.faults == "call 1 (PutItem) crashBefore, call 2 (PutItem) crashBefore")
    }

    @Test("What no fault explains is not tried again")
    func bugs() async throws {
        struct Bug: Error {}
        let tries = Mutex(0)
        let failure = await #expect(throws: FaultSweepFailure.self) {
            try await FaultSweep.run { run in
                try await run.deliver(to: MemoryDynamoDB()) { _ in
                    tries.withLock { $0 += 1 }
                    throw Bug()
                }
            }
        }
        #expect(failure?.cause is Bug)
        #expect(tries.withLock { $0 } == 1)
    }

    @Test("A scenario that makes other calls the next time is refused: its faults would not happen")
    func changing() async throws {
        let runs = Mutex(0)
        let failure = await #expect(throws: FaultSweepFailure.self) {
            try await FaultSweep.run { run in
                let register = try Register()
                let isFirst = runs.withLock {
                    $0 += 1
                    return $0 == 1
                }
                if isFirst { _ = try await register.read(run.dynamoDB(register.store)) }
            }
        }
        #expect(failure?.description.contains("not the same in each run") == true)
    }
}
