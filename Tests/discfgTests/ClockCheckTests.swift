import DiscfgCore
import DiscfgHTTP
import DiscfgTestSupport
import Logging
import Testing

@testable import discfg

@Suite("The clock beside that of AWS")
struct ClockCheckTests {
    @Test("A clock that becomes wrong is warned of once, and the gauge shows the difference")
    func warning() {
        let (registry, log) = (PrometheusRegistry(), LogCapture())
        let check = ClockCheck(metrics: registry, logger: log.logger)
        for (offset, warnings) in [(0.4, 0), (-30, 0), (31, 1), (-600, 1), (1.2, 1), (-45.5, 2)] as [(Double, Int)] {
            check.note(offset)
            #expect(log.lines.count { $0.level == .warning } == warnings, "after \(offset)")
        }
        #expect(registry.exposition().contains("discfg_clock_offset_seconds -45.5\n"), "\(registry.exposition())")
    }

    @Test("A clock that is off by more than 30 seconds is corrected, and no other")
    func correction() {
        let check = ClockCheck(metrics: PrometheusRegistry(), logger: LogCapture().logger)
        #expect(check.correction == .zero)
        for (offset, correction) in [(29.5, 0), (600.25, 600_250), (-600, -600_000), (1, 0)] as [(Double, Int64)] {
            check.note(offset)
            #expect(check.correction == .milliseconds(correction), "after \(offset)")
            let (before, corrected, after) = (TimeSource.system.now(), check.time.now(), TimeSource.system.now())
            #expect((before - check.correction...after - check.correction).contains(corrected), "after \(offset)")
        }
    }
}
