import AWSClient
import AWSTestSupport
import DiscfgCore
import DiscfgDynamoDB
import Testing

@Suite("Leases in a table", DynamoDBFixture.isAvailable)
struct LeaseTests {
    private func lease(_ id: Int64) -> Lease {
        Lease(id: id, ttl: .seconds(10), expiry: Timestamp(milliseconds: 10_000))
    }

    /// A commit that sets keys, each attached to the lease beside it.
    private func commit(_ revision: Revision, _ keys: [(String, Int64?)]) throws -> Commit {
        let time = Timestamp(milliseconds: revision)
        let changes = try keys.map { path, lease in
            Change.set(
                Item(
                    key: try Key(path: path), value: Value("x"), created: revision, modified: revision,
                    modifiedAt: time, lease: lease),
                previous: nil)
        }
        return Commit(revision: revision, time: time, author: "", message: "", changes: changes)
    }

    private func makeDefault(_ engine: DynamoDBEngine) async throws {
        try await engine.createConfig(.default, settings: ConfigSettings(), first: commit(1, []))
    }

    @Test(
        "As many keys and leases as fit one transaction are attached, and one more is refused before anything is sent")
    func limit() async throws {
        let fixture = try await DynamoDBFixture()
        let engine = fixture.engine()
        try await makeDefault(engine)
        for id: Int64 in 1...50 { #expect(try await engine.createLease(lease(id), in: .default)) }
        let keys = (1...50).map { ("/\($0)", Optional(Int64($0))) }
        _ = fixture.meter.take()
        let error = await #expect(throws: DiscfgError.self) {
            try await engine.append([try commit(2, keys)], to: .default, incarnation: nil)
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("101 writes at once, 50 of them") == true, "\(error?.message ?? "")")
        #expect(fixture.meter.take().units == 1, "the config's record was looked at, no more")
        // Fifty keys and as many leases but one, and one that is shared.
        let shared = Array(keys.dropLast()) + [("/50", 1)]
        #expect(try await engine.append([commit(2, shared)], to: .default) == .appended)
        #expect(try await Set(engine.keys(of: 1, in: .default)) == [Key(path: "/1"), Key(path: "/50")])
        #expect(try await engine.keys(of: 49, in: .default) == [Key(path: "/49")])
        #expect(try await engine.keys(of: 50, in: .default) == [])
    }

    @Test("A lease that can take no more keys says so by name, and can still be renewed and ended")
    func full() async throws {
        let engine = try await DynamoDBFixture().engine()
        try await makeDefault(engine)
        #expect(try await engine.createLease(lease(77), in: .default))
        var (revision, number): (Revision, Int) = (1, 0)
        func attach(_ count: Int, _ length: Int) async throws {
            let keys = (0..<count).map { _ in
                number += 1
                let name = "/\(number)"
                return (name + String(repeating: "x", count: length - name.utf8.count), Optional(77 as Int64))
            }
            #expect(try await engine.append([commit(revision + 1, keys)], to: .default) == .appended)
            revision += 1
        }
        // Ever shorter keys, until not even four bytes fit.
        for (count, length) in [(98, 1024), (1, 1024), (1, 300), (1, 100), (1, 40), (1, 20), (1, 10), (1, 5), (1, 4)] {
            var error: DiscfgError?
            while error == nil {
                do { try await attach(count, length) } catch let refusal as DiscfgError { error = refusal }
            }
            #expect(error?.code == .tooLarge)
            #expect(error?.message.contains("Lease 77 cannot take more keys") == true, "\(error?.message ?? "")")
        }
        #expect(try await engine.tail(of: .default).revision == revision)
        // Numbers take as many bytes as they have digits: the new end is longer by six.
        let now = Timestamp(milliseconds: 1_767_225_600_123)
        #expect(try await engine.renewLease(77, in: .default, at: now)?.expiry == now + .seconds(10))
        #expect(try await engine.overdueLeases(in: .default, at: now + .seconds(10)).map(\.id) == [77])
        #expect(try await engine.endLease(77, in: .default, ifUnchanged: nil) != nil)
        #expect(try await engine.keys(of: 77, in: .default).count > 390)
    }

    @Test("A process that does not know yet that a config was made anew finds and makes leases in the new one")
    func createdAgain() async throws {
        let fixture = try await DynamoDBFixture()
        let (one, two) = (fixture.engine(), fixture.engine())
        try await makeDefault(one)
        #expect(try await one.createLease(lease(1), in: .default))
        let calls: [@Sendable () async throws -> Bool] = [
            // There is none of that id any more.
            { try await one.createLease(self.lease(1), in: .default) },
            { try await one.lease(2, in: .default) == self.lease(2) },
            { try await one.leases(of: .default, after: nil, limit: 10).map(\.id) == [2] },
            { try await one.renewLease(2, in: .default, at: Timestamp(milliseconds: 1)) != nil },
            { try await one.endLease(2, in: .default, ifUnchanged: nil) != nil },
            {
                let isEnding = try await two.endLease(2, in: .default, ifUnchanged: nil) != nil
                try await one.removeLease(2, in: .default)
                let left = try await two.lease(2, in: .default)
                return isEnding && left == nil
            },
        ]
        for (number, call) in calls.enumerated() {
            // From here on the first process believes in a config that is gone.
            _ = try await one.tail(of: .default)
            #expect(try await two.removeConfig(.default))
            try await makeDefault(two)
            #expect(try await two.createLease(lease(2), in: .default))
            #expect(try await call(), "call \(number)")
        }
        let incarnation = try await two.tail(of: .default).incarnation
        #expect(try await one.tail(of: .default).incarnation == incarnation)
    }

    @Test("A lease whose making was in doubt is not taken for another's")
    func doubt() async throws {
        try await FaultProxy.with(before: try await Ministack.shared().url) { proxy in
            let fixture = try await DynamoDBFixture(endpoint: proxy.url)
            let engine = fixture.engine()
            try await makeDefault(engine)
            _ = try await engine.tail(of: .default)
            // A new transaction follows the refusal, which finds what the lost one has made.
            proxy.script([.lostReply, .transactionConflict], for: "TransactWriteItems")
            #expect(try await engine.createLease(lease(1), in: .default))
            proxy.script([.lostRequest, .transactionConflict], for: "TransactWriteItems")
            #expect(try await engine.createLease(lease(1), in: .default) == false)
            #expect(try await engine.createLease(lease(2), in: .default))
            // It was attached before the lease's end, and the reply was lost.
            let attached = try commit(2, [("/a", 1)])
            proxy.script([.lostReply, .transactionConflict], for: "TransactWriteItems")
            #expect(try await engine.append([attached], to: .default) == .appended)
            #expect(try await engine.endLease(2, in: .default, ifUnchanged: nil) != nil)
            proxy.script([.lostRequest, .transactionConflict], for: "TransactWriteItems")
            #expect(try await engine.append([commit(3, [("/b", 2)])], to: .default) == .leaseNotFound(2))
            #expect(try await engine.tail(of: .default).revision == 2)
        }
    }
}
