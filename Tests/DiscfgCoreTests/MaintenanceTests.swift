import DiscfgCore
import DiscfgTestSupport
import Synchronization
import Testing

@Suite("Maintenance")
struct MaintenanceTests {
    /// A time source on which every sleep ends at once and moves the clock, until an hour is over; then it waits.
    private static func hour(_ isOver: AsyncStream<Void>.Continuation) -> TimeSource {
        let start = ContinuousClock.now
        let slept = Mutex<Duration>(.zero)
        return TimeSource(
            now: { Timestamp(milliseconds: 1_767_225_600_000) },
            sleep: { duration in
                let total = slept.withLock { slept in
                    slept += duration
                    return slept
                }
                guard total > .seconds(3600) else { return }
                isOver.finish()
                try await Task.sleep(for: .seconds(86_400))
            },
            instant: { start + slept.withLock { $0 } })
    }

    @Test("A failure of maintenance that goes on is logged once a minute, with the number of repetitions")
    func repetition() async throws {
        let (over, isOver) = AsyncStream<Void>.makeStream()
        let log = LogCapture()
        let service = ConfigService(
            engine: FailingEngine(engine: MemoryEngine()),
            options: .init(administration: FailingStore(), time: Self.hour(isOver)), logger: log.logger)
        let maintenance = Task { try await ConfigMaintenance(service).run() }
        for await _ in over {}
        maintenance.cancel()
        try await maintenance.value
        let lines = log.lines.filter { $0.message == "maintenance failed" }
        #expect((60...62).contains(lines.count), "\(lines.count) lines in an hour of two rounds a second")
        #expect(lines.first?.metadata["repeated"] == nil)
        // Each round looks for configs; once a minute there is the store's own maintenance too.
        for line in lines.dropFirst() { #expect(Int(line.metadata["repeated"] ?? "") ?? 0 >= 118, "\(line)") }
        #expect(lines.allSatisfy { $0.metadata["error"]?.contains("It was moved.") == true })
    }

    @Test("A look-up of the configs that failed is repeated at the next sweep")
    func lookUp() async throws {
        let (over, isOver) = AsyncStream<Void>.makeStream()
        let time = Self.hour(isOver)
        let engine = UnreadyEngine(engine: MemoryEngine(), now: time.instant)
        let service = ConfigService(engine: engine, options: .init(time: time), logger: LogCapture().logger)
        let begin = time.instant()
        let maintenance = Task { try await ConfigMaintenance(service).run() }
        for await _ in over {}
        maintenance.cancel()
        try await maintenance.value
        let looks = engine.looks.times.withLock { $0 }.map { $0 - begin }
        #expect(looks.prefix(3) == [.zero, .seconds(5), .seconds(10)], "two failures, and then names")
        #expect(looks.dropFirst(3).first ?? .zero >= .seconds(60), "names that are known are not looked up each time")
    }

    @Test("Failures that differ in the error or the subject are logged by themselves, and few are remembered")
    func different() {
        let failures = RepeatedFailures()
        let now = ContinuousClock.now
        #expect(failures.note("moved", of: "a", at: now) == 0)
        #expect(failures.note("moved", of: "a", at: now + .seconds(59)) == nil)
        #expect(failures.note("full", of: "a", at: now + .seconds(59)) == 0)
        #expect(failures.note("moved", of: "b", at: now + .seconds(59)) == 0)
        #expect(failures.note("moved", of: "a", at: now + .seconds(60)) == 1)
        #expect(failures.note("moved", of: "a", at: now + .seconds(120)) == 0)
        for number in 0..<RepeatedFailures.capacity {
            #expect(failures.note("moved", of: "\(number)", at: now + .seconds(121)) == 0)
        }
        // The oldest was forgotten, and so counts as new.
        #expect(failures.note("moved", of: "a", at: now + .seconds(122)) == 0)
        #expect(failures.note("moved", of: "\(RepeatedFailures.capacity - 1)", at: now + .seconds(122)) == nil)
    }
}

/// An engine whose file was moved.
private struct FailingEngine: EngineWrapper {
    let engine: any StorageEngine

    func configNames(after: ConfigName?, limit: Int) async throws -> [ConfigName] { throw FailingStore.moved }
}

private struct FailingStore: StoreAdministration {
    static let moved = DiscfgError(.storeUnusable, "It was moved.")

    var subject: StoreSubject? { nil }
    func create(_ properties: StoreProperties) async throws -> [StoreWarning] { throw Self.moved }
    func status() async throws -> StorageDescription { throw Self.moved }
    func maintain() async throws { throw Self.moved }
    func destroy() async throws { throw Self.moved }
}

/// A remote store whose first look-ups of configs fail.
private struct UnreadyEngine: EngineWrapper {
    final class Looks: Sendable {
        /// When somebody looked.
        let times = Mutex<[ContinuousClock.Instant]>([])
    }

    let engine: any StorageEngine
    let now: @Sendable () -> ContinuousClock.Instant
    let looks = Looks()

    var traits: StorageTraits {
        engine.traits.with(\.readsTellTail, false).with(\.sweepInterval, .seconds(5))
    }

    func configNames(after: ConfigName?, limit: Int) async throws -> [ConfigName] {
        guard after == nil else { return try await engine.configNames(after: after, limit: limit) }
        let count = looks.times.withLock { times in
            times.append(now())
            return times.count
        }
        if count <= 2 { throw DiscfgError(.storeUnavailable, "It does not answer.") }
        return try await engine.configNames(after: after, limit: limit)
    }
}
