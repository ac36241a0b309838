import AWSClient
import DynamoDBPatternsTesting
import Synchronization
import Testing

@testable import DynamoDBPatterns

@Suite struct ActingTests {
    private struct Refusal: Error {}

    private func ready(_ fixture: PatternWorld, storage: AggregateStorage = .inHead) async throws
        -> Aggregator<Click, NoValue>
    {
        let clicks = try fixture.clicks(2, storage: storage)
        _ = try await clicks.add(Click(page: "a"), id: "1", to: "s")
        _ = try await clicks.add(Click(page: "b"), id: "2", to: "s")
        return clicks
    }

    @Test("A complete set is acted on with its members, once", arguments: AddingTests.storages)
    func once(storage: AggregateStorage) async throws {
        let fixture = try PatternWorld()
        let clicks = try await ready(fixture, storage: storage)
        let outcomes = [
            try await clicks.act(on: "s") { set in
                #expect(set.count == 2 && !set.isTimedOut && set.attempt == 1)
                #expect(set.members == (storage == .inHead ? ["1": Click(page: "a"), "2": Click(page: "b")] : [:]))
                return [PatternWorld.effect(set.key)]
            },
            try await clicks.act(on: "s") { [PatternWorld.effect($0.key)] },
        ]
        #expect(outcomes == [.acted, .done])
        #expect(PatternWorld.effects("s", in: fixture.store) == 1)
    }

    @Test("An action sees all members that have items of their own, however late DynamoDB shows the last ones")
    func allMembers() async throws {
        let fixture = try PatternWorld()
        var clock = fixture.time.clock
        clock.random = { 100 }
        let slow = SlowCommits(base: fixture.store, clock: clock, longest: .milliseconds(200))
        let clicks = try fixture.clicks(3, storage: .asItems, in: slow)
        for id in ["1", "2", "3"] { _ = try await clicks.add(Click(page: id), id: id, to: "s") }
        #expect(try await clicks.members(of: "s").members.isEmpty)
        try await clicks.act(on: "s") { set in
            let seen = try await clicks.members(of: set.key).members.map(\.id)
            #expect(seen == ["1", "2", "3"])
            return []
        }
    }

    @Test("Members that were deleted by hand hold an action up for some leases, and not for ever")
    func deletedByHand() async throws {
        let fixture = try PatternWorld()
        let clicks = try await ready(fixture, storage: .asItems)
        _ = try await fixture.store.deleteItem(
            DeleteItemRequest(
                tableName: PatternWorld.tableName, key: ["pk": .string("A#clicks#s"), "sk": .string("m#1")]))
        for _ in 1...5 {
            let error = await #expect(throws: PatternError.self) { try await clicks.act(on: "s") { _ in [] } }
            #expect(error?.code == .contention)
            fixture.time.advance(by: .seconds(600))
        }
        #expect(try await clicks.act(on: "s") { _ in [] } == .acted)
    }

    @Test("A set that is not complete is not acted on, nor is one that does not exist")
    func notReady() async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks()
        _ = try await clicks.add(Click(page: "a"), id: "1", to: "s")
        #expect(try await clicks.act(on: "s") { [PatternWorld.effect($0.key)] } == .notReady)
        #expect(try await clicks.act(on: "t") { [PatternWorld.effect($0.key)] } == .notReady)
        #expect(fixture.store.items(in: PatternWorld.tableName).count == 1)
    }

    @Test("While somebody acts, nobody else does, until the lease has run out")
    func busy() async throws {
        let fixture = try PatternWorld()
        let clicks = try await ready(fixture)
        func slow(_ set: Aggregate<Click, NoValue>) async throws -> [TransactWriteItem] {
            #expect(try await clicks.act(on: "s") { _ in [] } == .busy)
            fixture.time.advance(by: .seconds(31))
            #expect(try await clicks.act(on: "s") { [PatternWorld.effect($0.key)] } == .acted)
            return [PatternWorld.effect(set.key)]
        }
        let error = await #expect(throws: PatternError.self) { try await clicks.act(on: "s", slow) }
        #expect(error?.code == .fenced)
        #expect(PatternWorld.effects("s", in: fixture.store) == 1)
    }

    @Test("A zombie marks nothing as done, with or without writes of its own", arguments: [true, false])
    func zombie(writes: Bool) async throws {
        let fixture = try PatternWorld()
        let clicks = try await ready(fixture)
        guard case .claimed(let zombie) = try await clicks.claim("s") else {
            Issue.record("The set was not claimed.")
            return
        }
        fixture.time.advance(by: .seconds(31))
        guard case .claimed(let other) = try await clicks.claim("s") else {
            Issue.record("The set was not taken over.")
            return
        }
        let error = await #expect(throws: PatternError.self) {
            try await clicks.finish(zombie, writing: writes ? [PatternWorld.effect("s")] : [])
        }
        #expect(error?.code == .fenced)
        for isStopped in [false, true] { try await clicks.release(zombie, isStopped: isStopped) }
        #expect(fixture.head("s")?["due"]?.int64 == other.head.due)
        try await clicks.finish(other, writing: [])
        #expect(fixture.state("s") == "DONE")
        #expect(PatternWorld.effects("s", in: fixture.store) == 0)
    }

    @Test("An action that fails is repeated under the same key: at once, then after longer and longer pauses")
    func failures() async throws {
        let fixture = try PatternWorld()
        let clicks = try await ready(fixture)
        let keys = Journal()
        for wait in [0, 0, 30, 60] {
            if wait > 0 {
                fixture.time.advance(by: .milliseconds(wait * 1000 - 1))
                #expect(try await clicks.act(on: "s") { _ in [] } == .busy)
                fixture.time.advance(by: .milliseconds(1))
            }
            await #expect(throws: Refusal.self) {
                try await clicks.act(on: "s") { set in
                    keys.write(set.idempotencyKey)
                    throw Refusal()
                }
            }
        }
        #expect(keys.entries.count == 4 && Set(keys.entries).count == 1)
        fixture.time.advance(by: .seconds(90))
        let outcome = try await clicks.act(on: "s") { set in
            #expect(set.attempt == 5)
            return []
        }
        #expect(outcome == .acted)
    }

    @Test("What an action returns is not written when one of its conditions fails, and nor is the mark")
    func conflict() async throws {
        let fixture = try PatternWorld()
        let clicks = try await ready(fixture)
        let impossible = TransactWriteItem.put(
            .init(
                tableName: PatternWorld.tableName, item: ["pk": .string("x"), "sk": .string("y")],
                conditionExpression: "attribute_exists(pk)"))
        let error = await #expect(throws: PatternError.self) {
            try await clicks.act(on: "s") { [PatternWorld.effect($0.key), impossible] }
        }
        #expect(error?.code == .conflict)
        #expect(PatternWorld.effects("s", in: fixture.store) == 0)
        #expect(try await clicks.act(on: "s") { [PatternWorld.effect($0.key)] } == .acted)
    }

    @Test("A set that begins anew after its time has a key of its own, and no zombie of the old one touches it")
    func generations() async throws {
        let fixture = try PatternWorld()
        let clicks = try await ready(fixture)
        guard case .claimed(let zombie) = try await clicks.claim("s") else {
            Issue.record("The set was not claimed.")
            return
        }
        _ = try await fixture.store.deleteItem(
            .init(tableName: PatternWorld.tableName, key: clicks.headKey(of: "s").attributes))
        _ = try await ready(fixture)
        guard case .claimed(let current) = try await clicks.claim("s") else {
            Issue.record("The new set was not claimed.")
            return
        }
        #expect(current.head.generation != zombie.head.generation)
        await #expect(throws: PatternError.self) { try await clicks.finish(zombie, writing: []) }
        #expect(fixture.state("s") == "RUNNING")
    }

    @Test("A claim and a mark whose answers were lost are known to be one's own")
    func lostAnswers() async throws {
        let fixture = try PatternWorld()
        _ = try await ready(fixture)
        let plan = FaultPlan.at([1: .lostReplyThenRetried, 2: .lostReplyThenRetried])
        let clicks = try fixture.clicks(2, in: FaultyDynamoDB(fixture.store, plan: plan))
        #expect(try await clicks.act(on: "s") { _ in [] } == .acted)
        #expect(fixture.state("s") == "DONE")
    }

    @Test("A set that times out right before its completing write takes that member no more", arguments: [true, false])
    func timedOutInBetween(merging: Bool) async throws {
        let fixture = try PatternWorld()
        let (clicks, visits) = (try fixture.clicks(2), try fixture.visits())
        _ = try await clicks.add(Click(page: "a"), id: "1", to: "s")
        _ = try await visits.add(Click(page: "a"), id: "1", to: "s")
        fixture.time.advance(by: .seconds(601))
        // By the count, the first write is the one that is refused and tells that the next one completes.
        let slow = BeforeUpdate(base: fixture.store, number: merging ? 1 : 2) {
            let outcome =
                merging ? try await visits.act(on: "s") { _ in [] } : try await clicks.act(on: "s") { _ in [] }
            #expect(outcome == .acted)
        }
        let answer =
            merging
            ? try await fixture.visits(in: slow).add(Click(page: "checkout"), id: "2", to: "s")
            : try await fixture.clicks(2, in: slow).add(Click(page: "b"), id: "2", to: "s")
        #expect(answer == .late)
        #expect(fixture.state("s", of: merging ? "visits" : "clicks") == "DONE")
        #expect(fixture.head("s", of: merging ? "visits" : "clicks")?["n"]?.int64 == 1)
    }

    @Test("A member that was merged into a set which began anew in between is merged again")
    func anewInBetween() async throws {
        let fixture = try PatternWorld()
        let visits = try fixture.visits()
        _ = try await visits.add(Click(page: "old"), id: "1", to: "s")
        let slow = BeforeUpdate(base: fixture.store, number: 1) {
            _ = try await fixture.store.deleteItem(
                .init(tableName: PatternWorld.tableName, key: visits.headKey(of: "s").attributes))
            _ = try await visits.add(Click(page: "new"), id: "2", to: "s")
        }
        #expect(try await fixture.visits(in: slow).add(Click(page: "late"), id: "3", to: "s") == .added)
        #expect(try await visits.read("s")?.value == Visit(pages: ["new", "late"]))
    }
}

/// Something happens before one of the updates.
private final class BeforeUpdate: DynamoDBDecorator {
    let base: any DynamoDBAPI
    private let number: Int
    private let event: @Sendable () async throws -> Void
    private let count = Mutex(0)

    init(base: any DynamoDBAPI, number: Int, _ event: @escaping @Sendable () async throws -> Void) {
        self.base = base
        self.number = number
        self.event = event
    }

    func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse {
        let current = count.withLock { count in
            count += 1
            return count
        }
        if current == number { try await event() }
        return try await base.updateItem(request)
    }
}
