import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgNotifications

@Suite("Claims of senders")
struct ClaimTests {
    @Test("A sender that never comes back is taken over after the claim's time, and nothing is lost")
    func hung() async throws {
        let hanging = RecordingSender { $0.revision == 4 ? .hold : .take }
        let bench = try await Bench()
        let hung = bench.another(sender: hanging)
        try await bench.add()
        for key in ["/a", "/b", "/c", "/d"] { try await bench.set(key) }
        let lost = Task { try await hung.deliver(in: bench.config) }
        try await eventually { hanging.heldCount == 1 }
        bench.clock.advance(by: .milliseconds(59_999))
        try await bench.deliver()
        #expect(bench.sender.attempts.isEmpty)
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.deliver().next == nil)
        #expect(bench.sender.tried() == [2, 3, 4, 5])
        // It wakes up, and sees that it was taken over: it sends nothing more, and disturbs nothing.
        try await bench.set("/e")
        hanging.letGo()
        _ = try await lost.value
        #expect(hanging.tried().prefix(3) == [2, 3, 4])
        try await bench.deliver()
        #expect(Set(bench.sender.tried() + hanging.tried().dropFirst(3)) == [2, 3, 4, 5, 6])
        #expect(try await bench.state()?.sent == 6)
    }

    @Test("One that lost its claim does not go on as if it still had it")
    func fenced() async throws {
        let slow = RecordingSender { $0.revision == 2 ? .hold : .take }
        let bench = try await Bench(sender: RecordingSender { $0.revision == 3 ? .hold : .take })
        let stale = bench.another(sender: slow)
        try await bench.add()
        for key in ["/a", "/b", "/c"] { try await bench.set(key) }
        let first = Task { try await stale.deliver(in: bench.config) }
        try await eventually { slow.heldCount == 1 }
        bench.clock.advance(by: .seconds(60))
        let second = Task { try await bench.deliver() }
        try await eventually { bench.sender.heldCount == 1 }
        slow.letGo()
        #expect(try await first.value.next == bench.clock.now + .seconds(60), "another has it")
        #expect(slow.tried() == [2])
        bench.sender.letGo()
        _ = try await second.value
        #expect(bench.sender.tried() == [2, 3, 4] && slow.tried() == [2])
    }

    @Test("The claim is renewed while it sends, however long that takes together")
    func renewed() async throws {
        let bench = try await Bench(options: { $0.unsavedLimit = 1000 })
        let other = bench.another(sender: RecordingSender())
        try await bench.add()
        for number in 0..<20 { try await bench.set("/\(number)") }
        bench.sender.whileSending { _ in
            bench.clock.advance(by: .seconds(20))
            let next = try await other.deliver(in: bench.config).next
            #expect(next != nil)
        }
        try await bench.deliver()
        #expect(bench.sender.tried() == Array(2...21))
    }

    @Test("A claim that somebody left behind is waited for, and then taken over with what he had sent")
    func leftBehind() async throws {
        let bench = try await Bench()
        let rule = try await bench.add()
        for key in ["/a", "/b"] { try await bench.set(key) }
        let record = try #require(try await bench.engine.config(bench.config))
        var state = DeliveryState(of: rule, log: record.tail.incarnation)
        (state.owner, state.claimedUntil, state.sent) = ("somebody", bench.clock.now + .seconds(30), 2)
        _ = try await bench.engine.replaceCell(
            DeliveryState.cellName(of: rule), with: state.bytes, version: 0, in: bench.config)
        #expect(try await bench.deliver().next == bench.clock.now + .seconds(30))
        bench.clock.advance(by: .seconds(30))
        try await bench.deliver()
        #expect(bench.sender.tried() == [3])
    }

    @Test("What ends in the middle by cancellation lets go of its claim, and notes how far it came", arguments: [2, 4])
    func cancelled(held: Revision) async throws {
        let bench = try await Bench(sender: RecordingSender { $0.revision == held ? .hold : .take })
        try await bench.add()
        for key in ["/a", "/b", "/c", "/d"] { try await bench.set(key) }
        let task = Task { try await bench.deliver() }
        try await eventually { bench.sender.heldCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let state = try await bench.state()
        #expect(state?.owner == "" && state?.sent == held - 1 && state?.failure == nil)
        bench.sender.answers { _ in .take }
        try await bench.deliver()
        #expect(bench.sender.revisions() == [2, 3, 4, 5])
    }

    @Test("A refusal that comes of the cancellation is not counted")
    func cancelledRefusal() async throws {
        let bench = try await Bench(sender: RecordingSender { _ in .refuse() }, options: { $0.maximumAttempts = 1 })
        try await bench.add()
        try await bench.set("/a")
        bench.sender.whileSending { _ in withUnsafeCurrentTask { $0?.cancel() } }
        await #expect(throws: CancellationError.self) { try await bench.deliver() }
        let status = try await bench.status()
        #expect(status.failure == nil && status.deadLetters.isEmpty && status.sent == 1)
    }
}
