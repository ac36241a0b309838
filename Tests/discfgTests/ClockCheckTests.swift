import AWSClient
import DiscfgCore
import DiscfgDynamoDB
import DiscfgDynamoDBTestSupport
import DiscfgHTTP
import DiscfgTestSupport
import DynamoDBPatternsTesting
import Logging
import Synchronization
import Testing

@testable import discfg

@Suite("The clock beside that of AWS")
struct ClockCheckTests {
    /// A wall clock that can be set, beside one that only goes on.
    private final class Clocks: Sendable {
        private let state = Mutex((wall: Timestamp(milliseconds: 1_000_000_000), instant: ContinuousClock.now))

        var source: TimeSource {
            var source = TimeSource.system
            source.now = { self.state.withLock(\.wall) }
            source.instant = { self.state.withLock(\.instant) }
            return source
        }

        var wall: Timestamp { state.withLock(\.wall) }

        func pass(_ duration: Duration) {
            state.withLock { state in
                state.wall = state.wall + duration
                state.instant += duration
            }
        }

        func set(by duration: Duration) { state.withLock { $0.wall = $0.wall + duration } }
    }

    private let clocks = Clocks()
    private let log = LogCapture()
    private let registry = PrometheusRegistry()
    private let check: ClockCheck

    init() { check = ClockCheck(metrics: registry, logger: log.logger, clock: clocks.source) }

    /// By how many seconds the time is behind the clock.
    private var correction: Double { (clocks.wall - check.time.now()) / .seconds(1) }

    /// An answer that came at once.
    private func note(_ offset: Double) { check.note(offset - 0.5...offset + 0.5) }

    @Test(
        "A process whose clock is an hour ahead removes no large value that another has just stored",
        arguments: [true, false])
    func collector(isCorrected: Bool) async throws {
        clocks.set(by: .seconds(3601))
        note(3601)
        let memory = MemoryDynamoDB()
        let store = InProcessDynamoDB(memory)
        var right = clocks.source
        right.now = { [clocks] in clocks.wall + .seconds(-3601) }
        func service(_ time: TimeSource) -> ConfigService {
            var options = ConfigService.Options(time: time)
            options.compactionDelay = .seconds(-1)
            return ConfigService(engine: store.engine(options: .init(time: time)), options: options, logger: log.logger)
        }
        try await store.engine().manager.make()
        let writer = service(right)
        for bytes in [[UInt8](repeating: 7, count: Value.maximumLength), [1]] {
            let value = Value(bytes: bytes, contentType: Value.octets)
            _ = try await writer.commit(Transaction(then: [.set(Key(path: "/a"), value)]), to: .default)
        }
        _ = try await service(isCorrected ? check.time : clocks.source).compact(.default, keeping: .through(3))
        var parts = 0
        var start: [String: AttributeValue]?
        repeat {
            let page = try await memory.scan(ScanRequest(tableName: "discfg", exclusiveStartKey: start))
            parts += (page.items ?? []).count { $0["pk"]?.string?.contains("#V#") == true }
            start = page.lastEvaluatedKey
        } while start != nil
        #expect(parts == (isCorrected ? 5 : 0), "without the correction it is removed")
    }

    @Test("A clock that becomes wrong is warned of once, and the gauge shows the difference")
    func warning() {
        for (offset, warnings) in [(0.4, 0), (-30, 0), (32, 1), (-600, 1), (1.2, 1), (-45.75, 2)] as [(Double, Int)] {
            note(offset)
            #expect(log.lines.count { $0.level == .warning } == warnings, "after \(offset)")
        }
        #expect(registry.exposition().contains("discfg_clock_offset_seconds -45.25\n"), "\(registry.exposition())")
    }

    @Test("A clock that is off by more than 30 seconds is replaced until it is off by less than 5")
    func correctionEnds() {
        #expect(correction == 0)
        for (offset, corrected) in [(29.5, false), (600, true), (29, true), (30, true), (5.6, true), (4, false)] {
            note(offset)
            #expect(abs(correction - (corrected ? offset : 0)) <= 0.51, "after \(offset)")
        }
    }

    @Test("An answer that took long changes nothing of what is known")
    func longRequest() {
        note(45)
        check.note(29...61)
        #expect(abs(correction - 45) <= 0.51)
        check.note(-600...60)
        #expect(abs(correction - 45) <= 0.51)
        check.note(-600...20)
        #expect(correction == 20)
    }

    @Test("A clock that is replaced does not follow when the machine's clock is set", arguments: [3600.0, -3600])
    func steps(offset: Double) {
        note(offset)
        let before = check.time.now()
        clocks.set(by: .seconds(-offset))
        #expect(abs((check.time.now() - before) / .seconds(1)) < 0.01)
        clocks.pass(.seconds(10))
        #expect(abs((check.time.now() - before) / .seconds(1) - 10) < 0.01)
        check.note(-0.5...0.5)
        #expect(correction == 0, "the machine's clock is right now")
    }

    @Test("A clock that was set right since is not replaced because of an answer that took long")
    func setSince() {
        note(600)
        clocks.set(by: .seconds(-600))
        check.note(-100...100)
        #expect(correction == 0)
    }
}
