import DiscfgCore
import Foundation
import Synchronization
import Testing

@testable import DiscfgFormats

@Suite struct RoomyStackTests {
    /// What the work and its test tell each other.
    private final class Progress: Sendable {
        let running = Atomic<Int>(0)
        let mayEnd = Atomic<Bool>(false)
    }

    @Test("no thread of the task pool waits while files are read")
    func waiting() async throws {
        let count = 16
        let slots = WorkSlots(count: count, maximumWaiters: 0)
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await RoomyStack.run(slots: slots) { _ in
                        progress.running.add(1, ordering: .relaxed)
                        while !progress.mayEnd.load(ordering: .relaxed) { sched_yield() }
                    }
                }
            }
            // This task goes on although every other one waits for its thread.
            while progress.running.load(ordering: .relaxed) < count { await Task.yield() }
            progress.mayEnd.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
    }

    @Test("work that is no longer wanted is told so, and its caller hears of the cancellation")
    func cancelled() async {
        let progress = Progress()
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await RoomyStack.run(slots: WorkSlots(count: 1, maximumWaiters: 0)) {
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

    @Test("the next file waits for a slot, and one too many is refused")
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
