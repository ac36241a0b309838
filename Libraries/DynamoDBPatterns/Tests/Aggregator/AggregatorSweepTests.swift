import AWSClient
import DynamoDBPatternsTesting
import Logging
import Testing

@testable import DynamoDBPatterns

@Suite struct AggregatorSweepTests {
    private struct Refusal: Error {}

    @Test("Incomplete sets time out once, with the members that they have", arguments: AddingTests.storages)
    func timeout(storage: AggregateStorage) async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(4, storage: storage)
        _ = try await clicks.add(Click(page: "a"), id: "1", to: "s")
        fixture.time.advance(by: .seconds(300))
        _ = try await clicks.add(Click(page: "b"), id: "2", to: "s")
        fixture.time.advance(by: .seconds(299))
        #expect(try await clicks.sweep { [PatternWorld.effect($0.key)] }.acted == [])
        fixture.time.advance(by: .seconds(1))
        let sweep = try await clicks.sweep { set in
            #expect(set.isTimedOut && set.count == 2)
            return [PatternWorld.effect(set.key)]
        }
        #expect(sweep.acted == ["s"] && sweep.isFinished)
        #expect(try await clicks.sweep { [PatternWorld.effect($0.key)] }.acted == [])
        #expect(PatternWorld.effects("s", in: fixture.store) == 1)
        #expect(try await clicks.add(Click(page: "c"), id: "3", to: "s") == .late)
    }

    @Test("The completing writer crashes right after: the sweep acts, once the lease has passed")
    func crashedWriter() async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(1)
        _ = try await clicks.add(Click(page: "a"), id: "1", to: "s")
        #expect(try await clicks.sweep { _ in [] }.acted == [])
        fixture.time.advance(by: .seconds(30))
        let sweep = try await clicks.sweep { set in
            #expect(!set.isTimedOut)
            return [PatternWorld.effect(set.key)]
        }
        #expect(sweep.acted == ["s"])
        #expect(PatternWorld.effects("s", in: fixture.store) == 1)
    }

    @Test("One action that fails keeps no other from being done, and a limit is kept")
    func failures() async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(1)
        for set in ["a", "b", "c"] { _ = try await clicks.add(Click(page: "a"), id: "1", to: set) }
        fixture.time.advance(by: .seconds(30))
        let first = try await clicks.sweep(limit: 2) { set in
            if set.key == "a" { throw Refusal() }
            return [PatternWorld.effect(set.key)]
        }
        #expect(first.acted.count + first.failed.count == 2 && !first.isFinished)
        let second = try await clicks.sweep { set in
            if set.key == "a" { throw Refusal() }
            return [PatternWorld.effect(set.key)]
        }
        #expect(Set(first.acted + second.acted) == ["b", "c"])
        #expect((first.failed + second.failed).allSatisfy { $0.set == "a" && $0.error is Refusal })
        fixture.time.advance(by: .seconds(60))
        #expect(try await clicks.sweep { [PatternWorld.effect($0.key)] }.acted == ["a"])
    }

    @Test("Incomplete sets are listed, over all partitions of the index, and complete ones are not")
    func incomplete() async throws {
        let fixture = try PatternWorld()
        let table = PatternTable(
            PatternWorld.tableName, in: fixture.store, clock: fixture.time.clock, duePartitions: 4)
        let clicks = try Aggregators.clicks(2, storage: .inHead, in: table)
        for number in 1...9 { _ = try await clicks.add(Click(page: "a"), id: "1", to: "s\(number)") }
        _ = try await clicks.add(Click(page: "b"), id: "2", to: "s3")
        _ = try await clicks.act(on: "s3") { _ in [] }
        _ = try await clicks.add(Click(page: "b"), id: "2", to: "s4")
        var found: [String] = []
        var cursor: PatternCursor?
        repeat {
            let page = try await clicks.incomplete(limit: 2, from: cursor)
            #expect(page.sets.allSatisfy { $0.state == .open && $0.members.count == 1 })
            found += page.sets.map(\.key)
            cursor = page.next
        } while cursor != nil
        #expect(found.sorted() == [1, 2, 5, 6, 7, 8, 9].map { "s\($0)" })
    }

    @Test("A set that cannot be understood is listed as such, and hides no others")
    func unreadable() async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(2)
        for set in ["a", "b", "c"] { _ = try await clicks.add(Click(page: "p"), id: "1", to: set) }
        var broken = try #require(fixture.head("b"))
        broken["m#1"] = .string("no click")
        _ = try await fixture.store.putItem(
            PutItemRequest(tableName: PatternWorld.tableName, item: broken))
        let page = try await clicks.incomplete()
        #expect(page.sets.map(\.key).sorted() == ["a", "c"] && page.unreadable == ["b"])

        // One whose claim cannot even be counted.
        broken["attempt"] = .string("many")
        _ = try await fixture.store.putItem(
            PutItemRequest(tableName: PatternWorld.tableName, item: broken))
        fixture.time.advance(by: .seconds(601))
        let sweep = try await clicks.sweep { _ in [] }
        #expect(sweep.acted.sorted() == ["a", "c"] && sweep.failed.map(\.set) == ["b"])
    }

    @Test(
        "A set is forgotten after its time: by its expiry, or with the items of its members",
        arguments: AddingTests.storages)
    func forgotten(storage: AggregateStorage) async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(120, storage: storage)
        for number in 1...120 { _ = try await clicks.add(Click(page: "a"), id: "\(number)", to: "s") }
        #expect(try await clicks.act(on: "s") { _ in [] } == .acted)
        fixture.time.advance(by: .seconds(7 * 86_400 - 1))
        fixture.store.expireItems(in: PatternWorld.tableName)
        #expect(try await clicks.sweep { _ in [] }.forgotten == 0)
        #expect(try await clicks.add(Click(page: "a"), id: "1", to: "s") == .duplicate)
        fixture.time.advance(by: .seconds(3))
        fixture.store.expireItems(in: PatternWorld.tableName)
        #expect(try await clicks.sweep { _ in [] }.forgotten == (storage == .asItems ? 1 : 0))
        #expect(fixture.store.items(in: PatternWorld.tableName).isEmpty)
        #expect(try await clicks.add(Click(page: "a"), id: "1", to: "s") == .added)
    }

    @Test("Whoever forgets a set late deletes nothing of the one that has begun anew")
    func forgetsLate() async throws {
        let fixture = try PatternWorld()
        let clicks = try fixture.clicks(1, storage: .asItems)
        _ = try await clicks.add(Click(page: "a"), id: "1", to: "s")
        _ = try await clicks.act(on: "s") { _ in [] }
        fixture.time.advance(by: .seconds(8 * 86_400))
        let old = try #require(try await clicks.head(of: "s"))
        _ = try await clicks.sweep { _ in [] }
        _ = try await clicks.add(Click(page: "b"), id: "1", to: "s")
        _ = try await clicks.act(on: "s") { _ in [] }
        #expect(try await clicks.forget("s", old) == false)
        #expect(try await clicks.members(of: "s").members.map(\.member) == [Click(page: "b")])
    }

    @Test("The loop goes on after what fails, waits in between, and ends when it is cancelled")
    func loop() async throws {
        let fixture = try PatternWorld()
        let sleeps = Journal()
        var clock = fixture.time.clock
        clock.sleep = { pause in
            #expect((.seconds(15)...(.seconds(30))).contains(pause))
            sleeps.write("sleep")
            if sleeps.entries.count == 6 { throw CancellationError() }
            fixture.time.advance(by: pause)
        }
        let failing = FaultyDynamoDB(fixture.store, plan: .at(call: 2, .throttled))
        let table = PatternTable(PatternWorld.tableName, in: failing, clock: clock)
        let clicks = try Aggregators.clicks(1, storage: .inHead, in: table)
        _ = try await clicks.add(Click(page: "a"), id: "1", to: "s")
        let attempts = Journal()
        try await clicks.run(every: .seconds(30), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            attempts.write("\($0.attempt)")
            if $0.attempt == 1 { throw Refusal() }
            return []
        }
        #expect(attempts.entries == ["1", "2"])
        #expect(fixture.state("s") == "DONE")
    }
}
