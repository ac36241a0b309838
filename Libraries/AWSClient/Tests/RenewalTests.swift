import AWSClient
import Synchronization
import Testing

@Suite("Renewal of refused credentials")
struct RenewalTests {
    /// Hands out `KEY1`, `KEY2` and so on.
    private struct Source: CredentialsProvider {
        let asked = Tally()

        func credentials() async throws -> AWSCredentials {
            AWSCredentials(accessKeyID: "KEY\(asked.next())", secretAccessKey: "secret", sessionToken: "token")
        }
    }

    /// Refuses `KEY1` once all requests with it are there: half of them at once, the others when calls have succeeded
    /// with other credentials.
    private final class Burst: HTTPTransport {
        private let size: Int
        private let state = Mutex((refused: 0, succeeded: 0))

        init(size: Int) { self.size = size }

        func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
            guard request.headers.contains(where: { $0.value.contains("Credential=KEY1/") }) else {
                state.withLock { $0.succeeded += 1 }
                return HTTPResponse(status: 200, body: Array("{}".utf8))
            }
            let number = state.withLock { state in
                state.refused += 1
                return state.refused
            }
            while state.withLock({ $0.refused < size || (number > size / 2 && $0.succeeded < size / 2) }) {
                await Task.yield()
            }
            return HTTPResponse(status: 400, body: Array(#"{"__type":"x#ExpiredTokenException"}"#.utf8))
        }
    }

    @Test("Fifty calls that meet the same refusal, early and late, cause one refresh and no error")
    func burst() async throws {
        let source = Source()
        let calls = CallLog()
        let client = try AWSClient(
            region: "r", credentials: CachedCredentials(source), transport: Burst(size: 50),
            options: .init(onCall: { calls.add($0) }))
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask { _ = try await DynamoDB(client).describeTable(.init(tableName: "t")) }
            }
            try await group.waitForAll()
        }
        #expect(source.asked.value == 2)
        #expect(calls.all.map(\.attempts) == Array(repeating: 2, count: 50))
    }

    @Test("A source that has no other credentials is asked once more, and AWS's refusal is the error")
    func stubborn() async throws {
        let asked = Tally()
        struct Same: CredentialsProvider {
            let asked: Tally
            func credentials() async throws -> AWSCredentials {
                asked.next()
                return AWSCredentials(accessKeyID: "KEY1", secretAccessKey: "secret")
            }
        }
        let client = try AWSClient(
            region: "r", credentials: CachedCredentials(Same(asked: asked), now: { 1000 }), transport: Burst(size: 1))
        for _ in 0..<10 {
            let error = await #expect(throws: AWSError.self) {
                try await DynamoDB(client).describeTable(.init(tableName: "t"))
            }
            #expect(error?.code == "ExpiredTokenException")
        }
        #expect(asked.value == 2)
    }
}
