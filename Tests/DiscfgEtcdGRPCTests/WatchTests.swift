#if EtcdGRPC
import DiscfgCore
import GRPCCore
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

@Suite("The Watch service over gRPC")
struct WatchTests {
    @Test("Several watches share a stream, each with its events, until it is cancelled")
    func severalWatches() async throws {
        try await EtcdGRPCFixture.open { fixture in
            try await fixture.watching { talk in
                let first = try await talk.create("a")
                #expect((first.created, first.watchID, first.header.revision) == (true, 0, 1))
                let second = try await talk.create("k/") { $0.rangeEnd = end(of: "k/") }
                #expect(second.watchID == 1)
                let chosen = try await talk.create("b") { $0.watchID = 70 }
                #expect(chosen.watchID == 70)
                try await fixture.put("a", "1")
                #expect(try await talk.events() == (0, ["put a=1"], 2))
                try await fixture.put("unseen", "1")
                try await fixture.put("b", "2")
                #expect(try await talk.events() == (70, ["put b=2"], 4))
                talk.cancel(0)
                let canceled = try await talk.next()
                #expect((canceled.canceled, canceled.watchID) == (true, 0))
                _ = try await fixture.kv.txn(
                    .with { txn in
                        txn.success = ["a", "k/1", "k/2"].map { key in
                            .with { ($0.requestPut.key, $0.requestPut.value) = (bytes(key), bytes("3")) }
                        }
                    })
                #expect(try await talk.events() == (1, ["put k/1=3", "put k/2=3"], 5))
            }
        }
    }

    @Test("A watch ends without memory for its events, with a code after which clients watch again")
    func withoutMemory() async throws {
        var limits = EtcdGRPCLimits()
        limits.requests = RequestLimits(bodies: MemoryBudget(4 << 20))
        let answers = limits.requests.answers
        try await EtcdGRPCFixture.open(limits: limits) { fixture in
            try await fixture.put("a", String(repeating: "v", count: 200_000))
            // Not the whole budget: a call would be refused.
            let held = answers.limit - 100_000
            try #require(answers.take(held))
            await expectRefusal(.unavailable, "etcdserver: too many requests") {
                try await fixture.watching { talk in
                    _ = try await talk.create("a") { $0.startRevision = 2 }
                    _ = try await talk.next()
                }
            }
            answers.giveBack(held)
            try await fixture.watching { talk in
                _ = try await talk.create("a") { $0.startRevision = 2 }
                #expect(try await talk.next().events.count == 1)
            }
        }
    }

    @Test("A watch from the past tells what happened since, with the pairs before, without what is filtered out")
    func past() async throws {
        try await EtcdGRPCFixture.open { fixture in
            try await fixture.put("a", "1")
            try await fixture.put("a", "2")
            _ = try await fixture.kv.deleteRange(.with { $0.key = bytes("a") })
            try await fixture.watching { talk in
                _ = try await talk.create("a") { ($0.startRevision, $0.prevKv) = (3, true) }
                let answer = try await talk.next()
                #expect(answer.events.map(\.summary) == ["put a=2", "delete a"])
                #expect(answer.events.map(\.prevKv.valueText) == ["1", "2"])
                #expect(answer.events.last?.kv.modRevision == 4)
                _ = try await talk.create("a") { ($0.startRevision, $0.filters) = (2, [.noput]) }
                #expect(try await talk.events().events == ["delete a"])
                _ = try await talk.create("a") { ($0.startRevision, $0.filters) = (2, [.nodelete]) }
                let puts = try await talk.next()
                #expect(puts.events.map(\.summary) == ["put a=1", "put a=2"])
                #expect(!puts.events.contains { $0.hasPrevKv })
            }
        }
    }

    @Test("A watch from before the compacted revision is cancelled, with the revision to begin from")
    func compacted() async throws {
        try await EtcdGRPCFixture.open { fixture in
            for value in ["1", "2", "3"] { try await fixture.put("a", value) }
            _ = try await fixture.kv.compact(.with { $0.revision = 4 })
            try await fixture.watching { talk in
                let created = try await talk.create("a") { $0.startRevision = 2 }
                #expect(created.created)
                let canceled = try await talk.next()
                #expect((canceled.canceled, canceled.compactRevision, canceled.watchID) == (true, 4, created.watchID))
                #expect(canceled.header.revision == 0)
            }
        }
    }

    @Test("Asked for progress, the stream says up to which revision everything was delivered")
    func progress() async throws {
        try await EtcdGRPCFixture.open { fixture in
            try await fixture.watching { talk in
                _ = try await talk.create("a")
                try await fixture.put("other", "1")
                try await fixture.put("a", "2")
                talk.ask(.with { $0.progressRequest = .init() })
                #expect(try await talk.events() == (0, ["put a=2"], 3))
                let progress = try await talk.next()
                #expect((progress.watchID, progress.events.count, progress.header.revision) == (-1, 0, 3))
            }
        }
    }

    @Test("A client that asks no more is told of events all the same")
    func halfClosed() async throws {
        try await EtcdGRPCFixture.open { fixture in
            try await fixture.watching { talk in
                _ = try await talk.create("a")
                talk.finish()
                for number in 1...3 {
                    try await fixture.put("a", "\(number)")
                    #expect(try await talk.events().events == ["put a=\(number)"])
                }
            }
        }
    }

    @Test("Refusals of one watch leave the stream open; what cannot be understood ends it")
    func refusals() async throws {
        try await EtcdGRPCFixture.open { fixture in
            try await fixture.watching { talk in
                _ = try await talk.create("a") { $0.watchID = 5 }
                let twin = try await talk.create("a") { $0.watchID = 5 }
                #expect(twin.cancelReason == "mvcc: duplicate watch ID provided on the WatchStream")
                #expect((twin.created, twin.canceled, twin.watchID) == (true, true, -1))
                talk.ask(.init())  // nothing at all, which is passed over
                talk.cancel(99)  // nobody's, and so without an answer
                try await fixture.put("a", "1")
                #expect(try await talk.events() == (5, ["put a=1"], 2))
            }
            await expectRefusal(
                .invalidArgument, "discfg: filters is 2, which means nothing. Send a number below 2."
            ) {
                try await fixture.watching { talk in
                    _ = try await talk.create("a") { $0.filters = [.UNRECOGNIZED(2)] }
                }
            }
        }
    }

    @Test("A slow client holds up nobody, and misses nothing")
    func slowClient() async throws {
        // More than the windows of HTTP/2 and the buffers of both sockets take.
        let (count, value) = (160, String(repeating: "v", count: 128 << 10))
        try await EtcdGRPCFixture.open(windowSize: 65_535) { slow in
            try await slow.connect { fixture in
                try await slow.watching { talk in
                    _ = try await talk.create("a")
                    try await fixture.watching { other in
                        _ = try await other.create("a")
                        for number in 1...count {
                            try await fixture.put("a", "\(number) \(value)")
                            #expect(try await other.next().events.count == 1)
                        }
                    }
                    for number in 1...count {
                        let events = try await talk.next().events
                        #expect(events.map { $0.kv.modRevision } == [Int64(number) + 1])
                        #expect(events.first?.kv.valueText.hasPrefix("\(number) v") == true)
                    }
                }
            }
        }
    }
}
#endif
