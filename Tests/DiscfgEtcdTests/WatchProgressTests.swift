import DiscfgCore
import DiscfgEtcd
import DiscfgTestSupport
import Testing

@Suite("Progress of etcd watches")
struct WatchProgressTests {
    @Test("A stream without watches is told the current revision, once for each question")
    func noWatches() async throws {
        let fixture = EtcdFixture()
        try await fixture.put("a", "1")
        try await fixture.watching { reader in
            for _ in 0..<3 { await reader.stream.receive(.progress) }
            let answers = try await reader.texts(3)
            #expect(answers == ["-1:  @2", "-1:  @2", "-1:  @2"])
        }
    }

    @Test("Progress is told when everything up to then was sent, and not before")
    func promise() async throws {
        let fixture = EtcdFixture()
        try await fixture.watching { late in
            for key in ["b", "a"] { try await late.create(key) }
            try await fixture.watching { other in
                try await other.create("x")
                for value in ["1", "2"] { try await fixture.put("a", value) }
                // What this stream can be told, the other was told to look for.
                let revision = try await other.progress()
                #expect(revision == 3)
            }
            await late.stream.receive(.progress)
            let answers = [try await late.text(), try await late.text(), try await late.text()]
            #expect(answers == ["1: put a=1 @2", "1: put a=2 @3", "-1:  @3"])
        }
    }

    @Test("Progress reaches what was committed before it was asked for, whatever the watches are about")
    func quiet() async throws {
        let fixture = EtcdFixture()
        try await fixture.watching { reader in
            try await reader.create("a")
            try await reader.create("b", from: 100)
            try await reader.create("c", from: 1)
            for number in 2...20 as ClosedRange<Int64> {
                try await fixture.put("other", "\(number)")
                let revision = try await reader.progress()
                #expect(revision == number)
            }
        }
    }

    @Test("No event comes after a progress that has promised it, while others write")
    func bookmarks() async throws {
        let fixture = EtcdFixture()
        let last: Int64 = 401
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<2 {
                group.addTask {
                    for number in 0..<200 { try await fixture.put(number % 3 == 0 ? "seen" : "unseen", "\(writer)") }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    try await fixture.watching { reader in
                        try await reader.create("seen", from: 1)
                        var promised: Int64 = 0
                        while promised < last {
                            // Nothing here ever waits on a store in memory: the writers need a turn as well.
                            await Task.yield()
                            await reader.stream.receive(.progress)
                            var answer = try await reader.next()
                            while answer.watchID != WatchResponse.noWatch {
                                let revisions = answer.events.map(\.kv.modRevision)
                                try #require(revisions.allSatisfy { $0 > promised })
                                answer = try await reader.next()
                            }
                            try #require(answer.header.revision >= promised)
                            promised = answer.header.revision
                        }
                        #expect(promised == last)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A watch that asked for it is told from time to time how far it is, when nothing has happened to it")
    func notify() async throws {
        let interval: Duration = .seconds(60)
        let fixture = EtcdFixture { $0.progressInterval = interval }
        try await fixture.watching { reader in
            for key in ["a", "b"] { try await reader.create(key) { $0.progressNotify = true } }
            try await reader.create("c")
            try await fixture.put("other", "1")
            let known = try await reader.progress()
            #expect(known == 2)
            try await tick(fixture, interval)
            let quiet = [try await reader.text(), try await reader.text()]
            #expect(quiet == ["0:  @2", "1:  @2"])
            try await fixture.put("b", "1")
            let event = try await reader.text()
            #expect(event == "1: put b=1 @3")
            let reached = try await reader.progress()
            #expect(reached == 3)
            try await tick(fixture, interval)
            let other = try await reader.text()
            #expect(other == "0:  @3")
            try await tick(fixture, interval)
            let both = [try await reader.text(), try await reader.text()]
            #expect(both == ["0:  @3", "1:  @3"])
        }
    }

    /// Lets as much time pass as there is at most between two notices.
    private func tick(_ fixture: EtcdFixture, _ interval: Duration) async throws {
        await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: interval * 11 / 10)
    }

    @Test("A notice comes when its time has come, and not before")
    func notTooEarly() async throws {
        let fixture = EtcdFixture { $0.progressInterval = .seconds(60) }
        try await fixture.watching { reader in
            try await reader.create("a") { $0.progressNotify = true }
            try await reader.create("b")
            await fixture.clock.waitForSleepers()
            fixture.clock.advance(by: .milliseconds(59_999))
            try await fixture.put("b", "1")
            let event = try await reader.text()
            #expect(event == "1: put b=1 @2")
            let asked = try await reader.progress()
            #expect(asked == 2)
            fixture.clock.advance(by: .seconds(7))
            let notice = try await reader.text()
            #expect(notice == "0:  @2")
        }
    }
}
