import DiscfgCore
import Foundation
import Synchronization
import Testing

@testable import DiscfgFormats

@Suite struct RoomyStackTests {
    @Test("no thread of the task pool waits while files are read", .timeLimit(.minutes(5)))
    func waiting() async throws {
        let count = 16
        let slots = WorkSlots(count: count, maximumWaiters: 0)
        let running = Atomic<Int>(0)
        let mayEnd = Atomic<Bool>(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await RoomyStack.run(slots: slots) { _ in
                        running.add(1, ordering: .relaxed)
                        while !mayEnd.load(ordering: .relaxed) { sched_yield() }
                    }
                }
            }
            // This task goes on although every other one waits for its thread.
            while running.load(ordering: .relaxed) < count { await Task.yield() }
            mayEnd.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
    }

    @Test("work that is no longer wanted is told so, and its caller hears of the cancellation", .timeLimit(.minutes(5)))
    func cancelled() async {
        let hasBegun = Atomic<Bool>(false)
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await RoomyStack.run(slots: WorkSlots(count: 1, maximumWaiters: 0)) {
                    cancellation throws(DiscfgError) in
                    hasBegun.store(true, ordering: .relaxed)
                    while true { try cancellation.check() }
                }
            }
            while !hasBegun.load(ordering: .relaxed) { await Task.yield() }
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.waitForAll() }
        }
    }

    @Test("the next file waits for a slot, and one too many is refused", .timeLimit(.minutes(5)))
    func slots() async throws {
        let slots = WorkSlots(count: 1, maximumWaiters: 1)
        try await slots.acquire()
        let second = Task { try await slots.acquire() }
        while slots.waiting < 1 { await Task.yield() }
        let error = await failure { try await slots.acquire() }
        #expect(error?.code == .overloaded)
        slots.release()
        try await second.value
        slots.release()
        try await slots.acquire()
    }

    @Test("a task that waits for a slot can be cancelled", .timeLimit(.minutes(5)))
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
