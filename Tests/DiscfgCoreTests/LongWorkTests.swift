import DiscfgCore
import DiscfgTestSupport
import Foundation
import Logging
import Synchronization
import Testing

@Suite(.serialized) struct LongWorkTests {
    /// What the work and its test share.
    private final class Progress: Sendable {
        let running = Atomic<Int>(0)
        let mayEnd = Atomic<Bool>(false)
        let blockedTasks = Atomic<Int>(0)

        /// Keeps its thread busy until the test goes on; does not if the thread is one that tasks run on.
        func work() {
            running.add(1, ordering: .relaxed)
            if withUnsafeCurrentTask(body: { $0 != nil }) {
                blockedTasks.add(1, ordering: .relaxed)
            } else {
                while !mayEnd.load(ordering: .relaxed) { sched_yield() }
            }
        }
    }

    private static let large = LongWork.inlineBytes + 1

    @Test("no cooperative thread waits for long work")
    func waiting() async throws {
        let count = 16
        let slots = WorkSlots(count: count, maximumWaiters: 0)
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { try await LongWork.run(onBytes: Self.large, slots: slots) { _ in progress.work() } }
            }
            // This task goes on although each of the others waits for its work.
            while progress.running.load(ordering: .relaxed) < count { await Task.yield() }
            progress.mayEnd.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        #expect(progress.blockedTasks.load(ordering: .relaxed) == 0)
    }

    @Test("tasks go on while two large transactions are parsed")
    func transactions() async throws {
        let progress = Progress()
        // `takes` is called while the text is being parsed.
        let limits = JSONLimits(maximumValues: .max) { _ in
            progress.work()
            return true
        }
        let body = Array((#"{"then":["# + String(repeating: #"{"get":"/a"},"#, count: 30_000) + "{}]}").utf8)
        let error = await #expect(throws: DiscfgError.self) {
            try await withThrowingTaskGroup(of: Transaction.self) { group in
                for _ in 0..<2 {
                    group.addTask { try await Transaction.parsed(body, author: "", limits: limits) }
                }
                while progress.running.load(ordering: .relaxed) < 2 { await Task.yield() }
                progress.mayEnd.store(true, ordering: .relaxed)
                for try await _ in group {}
            }
        }
        #expect(error?.message.hasPrefix("An operation names 0 of") == true)
        #expect(progress.blockedTasks.load(ordering: .relaxed) == 0)
    }

    @Test("the JSON of a large commit is checked outside the cooperative threads")
    func validation() async throws {
        let json = Value(bytes: [0x22] + [UInt8](repeating: 0x78, count: Self.large) + [0x22], contentType: Value.json)
        let service = ConfigService(engine: MemoryEngine(), logger: Logger(label: "test"))
        for _ in 0..<2 { try await LongWork.slots.acquire() }
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = try await service.commit(Transaction(then: [.set(Key(path: "/a"), json)]), to: .default)
                progress.running.store(1, ordering: .relaxed)
            }
            while LongWork.slots.waiting == 0, progress.running.load(ordering: .relaxed) == 0 { await Task.yield() }
            #expect(progress.running.load(ordering: .relaxed) == 0, "it waits for a slot")
            for _ in 0..<2 { LongWork.slots.release() }
            try await group.waitForAll()
        }
    }

    @Test("a small body needs no slot")
    func small() async throws {
        let none = WorkSlots(count: 0, maximumWaiters: 0)
        #expect(try await LongWork.run(onBytes: LongWork.inlineBytes, slots: none) { _ in 1 } == 1)
        let error = await #expect(throws: DiscfgError.self) {
            try await LongWork.run(onBytes: Self.large, slots: none) { _ in 1 }
        }
        #expect(error?.code == .overloaded)
    }

    @Test("work that is not wanted any more is cancelled, and so is its caller")
    func cancelled() async {
        let progress = Progress()
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await LongWork.run(onBytes: Self.large, slots: WorkSlots(count: 1, maximumWaiters: 0)) {
                    cancellation throws(DiscfgError) in
                    progress.running.store(1, ordering: .relaxed)
                    while true { try cancellation.check() }
                }
            }
            while progress.running.load(ordering: .relaxed) == 0 { await Task.yield() }
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.waitForAll() }
        }
    }

    @Test("the next body waits for a slot, and one too many is refused")
    func slots() async throws {
        let slots = WorkSlots(count: 1, maximumWaiters: 1)
        try await slots.acquire()
        let second = Task { try await slots.acquire() }
        while slots.waiting < 1 { await Task.yield() }
        let error = await #expect(throws: DiscfgError.self) { try await slots.acquire() }
        #expect(error?.code == .overloaded)
        slots.release()
        try await second.value
        slots.release()
        try await slots.acquire()
    }

    @Test("a task that waits for a slot can be cancelled")
    func cancelledWaiter() async throws {
        let slots = WorkSlots(count: 1, maximumWaiters: 1)
        try await slots.acquire()
        let second = Task { try await slots.acquire() }
        while slots.waiting < 1 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(slots.waiting == 0)
        slots.release()
        try await slots.acquire()
    }
}
