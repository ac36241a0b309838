import AWSClient
import Logging
import Synchronization
import Testing

@Suite("Cached credentials")
struct CachedCredentialsTests {
    /// A source that hands out what a test puts in, and is held up until it does.
    private final class Source: CredentialsProvider {
        private struct State {
            var results: [Result<AWSCredentials, any Error>] = []
            var waiting: [CheckedContinuation<AWSCredentials, any Error>] = []
            var calls = 0
        }

        private let state = Mutex(State())
        var calls: Int { state.withLock { $0.calls } }

        func put(_ result: Result<AWSCredentials, any Error>) {
            let waiting = state.withLock { state in
                if state.waiting.isEmpty { state.results.append(result) }
                return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            }
            waiting?.resume(with: result)
        }

        func put(_ name: String, until expiration: Double?) {
            put(.success(AWSCredentials(accessKeyID: name, secretAccessKey: "SECRET", expiration: expiration)))
        }

        func credentials() async throws -> AWSCredentials {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<AWSCredentials, any Error>? in
                    state.calls += 1
                    if state.results.isEmpty { state.waiting.append(continuation) }
                    return state.results.isEmpty ? nil : state.results.removeFirst()
                }
                if let result { continuation.resume(with: result) }
            }
        }

        /// Waits until it was asked so often.
        func asked(_ count: Int) async { while calls < count { await Task.yield() } }
    }

    private let source = Source()
    private let clock = ManualClock()

    private func cached(logger: Logger? = nil) -> CachedCredentials {
        CachedCredentials(
            source, logger: logger ?? Logger(label: "x") { _ in SwiftLogNoOpLogHandler() }, now: clock.now)
    }

    @Test("A hundred callers wait for one refresh, and all get what it brought")
    func hundred() async throws {
        let cached = cached()
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await cached.credentials().accessKeyID } }
            await source.asked(1)
            source.put("a", until: clock.now() + 3600)
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(names == Array(repeating: "a", count: 100) && source.calls == 1)
        #expect(try await cached.credentials().accessKeyID == "a" && source.calls == 1)
    }

    @Test("A refresh in time is not waited for, and replaces the old ones once it is done")
    func advisory() async throws {
        let cached = cached()
        source.put("a", until: clock.now() + 3600)
        _ = try await cached.credentials()
        clock.advance(by: 2800)
        for _ in 0..<50 { #expect(try await cached.credentials().accessKeyID == "a") }
        await source.asked(2)
        source.put("b", until: clock.now() + 3600)
        while try await cached.credentials().accessKeyID != "b" { await Task.yield() }
        #expect(source.calls == 2)
    }

    @Test("Credentials that expire in the middle of the work are renewed, and nobody sees an error")
    func working() async throws {
        let cached = cached()
        let expired = Tally()
        try await withThrowingTaskGroup { group in
            for turn in 1...20 { source.put("k\(turn)", until: clock.now() + Double(turn) * 1000) }
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<40 {
                        let asked = clock.now()
                        let credentials = try await cached.credentials()
                        if credentials.expiration ?? 0 <= asked { expired.next() }
                        clock.advance(by: 50)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(expired.value == 0)
        #expect(source.calls > 10 && source.calls <= 20)
    }

    @Test("Refreshes that fail are told to the log by their code, and the callers keep the old ones until they expire")
    func failing() async throws {
        let lines = Lines()
        let cached = cached(logger: Logger(label: "x") { _ in lines })
        source.put("a", until: clock.now() + 3600)
        _ = try await cached.credentials()
        clock.advance(by: 3100)
        source.put(.failure(AWSError(.brokenCredentials, "SECRET")))
        #expect(try await cached.credentials().accessKeyID == "a" && source.calls == 2)
        for _ in 0..<100 { #expect(try await cached.credentials().accessKeyID == "a") }
        #expect(source.calls == 2)
        clock.advance(by: 500)
        source.put(.failure(AWSError("AccessDenied", "no")))
        for _ in 0..<100 {
            let error = try await failure("AccessDenied") { try await cached.credentials() }
            #expect(error.message == "no")
        }
        #expect(source.calls == 3)
        #expect(
            lines.all == [
                "info credentials refresh failed client.BrokenCredentials",
                "info credentials refresh failed AccessDenied",
            ])
        clock.advance(by: 2)
        source.put("b", until: nil)
        #expect(try await cached.credentials().accessKeyID == "b")
    }

    @Test("Cancelling one caller ends its waiting, and the refresh goes on for the others")
    func cancelled() async throws {
        let cached = cached()
        let first = Task { try await cached.credentials() }
        await source.asked(1)
        let second = Task { try await cached.credentials() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        source.put("a", until: nil)
        #expect(try await second.value.accessKeyID == "a" && source.calls == 1)
        let third = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await cached.credentials()
        }
        #expect(try await third.value.accessKeyID == "a")
    }

    @Test("Whoever was cancelled before asking does not wait, and starts a refresh that others use")
    func cancelledBefore() async throws {
        let cached = cached()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await cached.credentials()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        source.put("a", until: nil)
        #expect(try await cached.credentials().accessKeyID == "a" && source.calls == 1)
    }

    @Test(
        "Those that are refused during a refresh that brings the same are asked for again, once, and all wait for that")
    func invalidated() async throws {
        let cached = cached()
        source.put("a", until: clock.now() + 3600)
        let old = try await cached.credentials()
        clock.advance(by: 2800)
        #expect(try await cached.credentials() == old)
        await source.asked(2)
        await cached.invalidate(old)
        let after = (0..<10).map { _ in Task { try await cached.credentials().accessKeyID } }
        source.put(.success(old))
        await source.asked(3)
        source.put("b", until: nil)
        for task in after { #expect(try await task.value == "b") }
        #expect(try await cached.credentials().accessKeyID == "b" && source.calls == 3)
    }

    @Test("Only those that were refused are thrown away")
    func rejected() async throws {
        let cached = cached()
        source.put("a", until: nil)
        let old = try await cached.credentials()
        for _ in 0..<100 { await cached.invalidate(old) }
        source.put("b", until: nil)
        #expect(try await cached.credentials().accessKeyID == "b")
        for _ in 0..<100 { await cached.invalidate(old) }
        #expect(try await cached.credentials().accessKeyID == "b" && source.calls == 2)
        #expect(!Secrecy.isLeaking(cached))
    }

    @Test("A source that brings what has expired is broken, and is not asked again at once")
    func expired() async throws {
        let cached = cached()
        source.put("a", until: clock.now() - 1)
        for _ in 0..<10 { _ = try await failure(.brokenCredentials) { try await cached.credentials() } }
        #expect(source.calls == 1)
    }
}

/// A log that a test reads.
private struct Lines: LogHandler {
    private final class Storage: Sendable {
        let lines = Mutex<[String]>([])
    }

    private let storage = Storage()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    var all: [String] { storage.lines.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.value)" }
        storage.lines.withLock { $0.append("\(event.level) \(event.message) \(values.joined(separator: " "))") }
    }
}
