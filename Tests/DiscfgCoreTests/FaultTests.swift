import DiscfgCore
import DiscfgTestSupport
import Testing

@Suite("The service keeps discfg's rules on an engine that fails")
struct FaultTests {
    @Test(
        "It conforms when replies and requests are lost",
        arguments: ServiceConformance.cases.filter { !$0.bringsFaults })
    func conformsWithLostReplies(_ testCase: ServiceConformance.Case) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let plan = FaultyEngine.Plan([.lostReply, .lostRequest, .delay], seed: seed)
        try await ServiceConformance(seed: seed) {
            let engine = MemoryEngine()
            return { FaultyEngine(engine, plan: plan) }
        }.run(testCase)
    }

    @Test("It conforms when others are first", arguments: ServiceConformance.cases.filter { !$0.assumesAlone })
    func conformsWithConflicts(_ testCase: ServiceConformance.Case) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let plan = FaultyEngine.Plan([.conflict, .lostReply, .lostRequest], seed: seed)
        try await ServiceConformance(seed: seed) {
            let engine = MemoryEngine()
            return { FaultyEngine(engine, plan: plan) }
        }.run(testCase)
    }

    @Test("Each acknowledged write is in the log once, and none that failed before it began")
    func acknowledgedWritesAreInTheLogOnce() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let engine = FaultyEngine(MemoryEngine(), plan: .init(FaultyEngine.Fault.allCases, percentage: 60, seed: seed))
        let services = (0..<2).map { _ in
            ConfigService(engine: engine, logger: LogCapture().logger)
        }
        let outcomes = try await withThrowingTaskGroup(of: [(Key, DiscfgError.Code?)].self) { group in
            for writer in 0..<8 {
                group.addTask {
                    var outcomes: [(Key, DiscfgError.Code?)] = []
                    for number in 0..<50 {
                        let key = try Key(path: "/\(writer)/\(number)")
                        do {
                            let transaction = Transaction(if: [.init(key, .absent)], then: [.set(key, Value("x"))])
                            let result = try await services[writer % 2].commit(transaction, to: .default)
                            #expect(result.failed == nil, "its own write must not look like another's; seed \(seed)")
                            outcomes.append((key, nil))
                        } catch let error as DiscfgError {
                            outcomes.append((key, error.code))
                        }
                    }
                    return outcomes
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        var counts: [Key: Int] = [:]
        var revisions: [Revision] = []
        while let commit = try await engine.entries(of: .default, after: revisions.last ?? 0, limit: 1).first {
            revisions.append(commit.revision)
            for change in commit.changes { counts[change.key, default: 0] += 1 }
        }
        #expect(revisions == Array(1...Int64(revisions.count)))
        for (key, code) in outcomes {
            switch code {
            case nil: #expect(counts[key] == 1, "\(key) was acknowledged; seed \(seed)")
            case .storeUnavailable: #expect(counts[key] == nil, "\(key) was refused; seed \(seed)")
            case .outcomeUnknown: #expect(counts[key] ?? 0 <= 1, "\(key) is in doubt; seed \(seed)")
            default: Issue.record("\(key) failed with code \(code?.rawValue ?? 0); seed \(seed)")
            }
        }
        #expect(outcomes.count { $0.1 == nil } > 100)
        for fault in FaultyEngine.Fault.allCases { #expect(engine.faultCounts[fault] ?? 0 > 0, "\(fault) must happen") }
    }
}
