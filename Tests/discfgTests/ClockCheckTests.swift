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
        #expect(!check.isAhead)
        for (offset, warnings) in [(0.4, 0), (-30, 0), (31, 1), (-600, 1), (1.2, 1), (-45.5, 2)] as [(Double, Int)] {
            check.note(offset)
            #expect(log.lines.count { $0.level == .warning } == warnings, "after \(offset)")
            #expect(check.isAhead == (offset > 30), "after \(offset)")
        }
        #expect(registry.exposition().contains("discfg_clock_offset_seconds -45.5\n"), "\(registry.exposition())")
    }
}
