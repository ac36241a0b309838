import AWSClient
import DiscfgCore
import DiscfgTestSupport
import Synchronization
import Testing

@testable import discfg_lambda

@Suite("Deadlines of writes in Lambda")
struct WriteDeadlineTests {
    /// Notes by when its store would have to answer an append.
    private struct NotingEngine: EngineWrapper {
        let engine: any StorageEngine = MemoryEngine()
        let seen: @Sendable (ContinuousClock.Instant?) -> Void

        func append(
            _ commits: [Commit], to config: ConfigName, incarnation: String?
        ) async throws -> AppendOutcome {
            seen(AWSClient.deadline)
            return try await engine.append(commits, to: config, incarnation: incarnation)
        }
    }

    @Test("A write reaches DynamoDB under the deadline of its own invocation")
    func invocations() async throws {
        let seen = Mutex<[ContinuousClock.Instant?]>([])
        let service = ConfigService(
            engine: NotingEngine { deadline in seen.withLock { $0.append(deadline) } },
            options: .init(writeDeadline: .ofInvocation), logger: LogCapture().logger)
        let deadlines = [60, 3600, 120].map { ContinuousClock.now + .seconds($0) }
        for (number, deadline) in deadlines.enumerated() {
            _ = try await AWSClient.$deadline.withValue(deadline) {
                try await service.commit(
                    Transaction(then: [.set(Key(path: "/a"), Value("\(number)"))]), to: .default)
            }
        }
        #expect(seen.withLock { $0 } == deadlines)
    }
}
