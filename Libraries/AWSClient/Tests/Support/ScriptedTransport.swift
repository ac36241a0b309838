import AWSClient
import Synchronization

/// Answers as a script says, and remembers what it was sent.
final class ScriptedTransport: HTTPTransport {
    enum Step: Sendable {
        case answer(HTTPResponse)
        case failure(any Error)
    }

    private let state: Mutex<(steps: [Step], requests: [HTTPRequest], timeouts: [Duration])>

    init(_ steps: [Step]) { state = Mutex((steps, [], [])) }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var timeouts: [Duration] { state.withLock { $0.timeouts } }

    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        let step = state.withLock { state in
            state.requests.append(request)
            state.timeouts.append(timeout)
            return state.steps.isEmpty ? Step.lost : state.steps.removeFirst()
        }
        switch step {
        case .answer(let answer): return answer
        case .failure(let error): throw error
        }
    }
}

extension ScriptedTransport.Step {
    /// What no transport should throw.
    static let strange = Self.failure(CountedCredentials.Broken())
    static let success = Self.answer(HTTPResponse(status: 200, body: Array("{}".utf8)))
    static let lost = Self.failure(TransportError(mayHaveBeenSent: true, "connection broken"))
    static let refusedConnection = Self.failure(TransportError(mayHaveBeenSent: false, "connection refused"))

    /// An error as DynamoDB writes it.
    static func error(
        _ code: String, status: Int = 400, message: String = "No.", members: String = "", headers: [HTTPHeader] = []
    ) -> Self {
        let body = #"{"__type":"com.amazonaws.dynamodb.v20120810#\#(code)","message":"\#(message)"\#(members)}"#
        return .answer(
            HTTPResponse(
                status: status, headers: [HTTPHeader("x-amzn-RequestId", "R1")] + headers, body: Array(body.utf8)))
    }
}

/// Clocks that stand still but for sleeping, and a die that always shows the same.
final class ManualTime: Sendable {
    private let start = ContinuousClock.now
    private let slept = Mutex<[Duration]>([])
    private let random: Double
    private let now: Double

    init(now: Double = 1_790_000_000, random: Double = 0.5) {
        self.now = now
        self.random = random
    }

    var pauses: [Duration] { slept.withLock { $0 } }
    var instant: ContinuousClock.Instant { start + pauses.reduce(.zero, +) }

    var source: AWSClient.TimeSource {
        AWSClient.TimeSource(
            now: { self.now }, instant: { self.instant },
            sleep: { pause in
                try Task.checkCancellation()
                self.slept.withLock { $0.append(pause) }
            }, random: { self.random })
    }
}

/// Always the same credentials, until they are called invalid.
final class CountedCredentials: CredentialsProvider {
    struct Broken: Error {}

    private let invalidations = Mutex(0)
    private let failsAfterInvalidation: Bool

    init(failsAfterInvalidation: Bool = false) { self.failsAfterInvalidation = failsAfterInvalidation }

    var timesInvalidated: Int { invalidations.withLock { $0 } }

    func credentials() async throws -> AWSCredentials {
        if failsAfterInvalidation, timesInvalidated > 0 { throw Broken() }
        return AWSCredentials(accessKeyID: "KEY\(timesInvalidated)", secretAccessKey: "secret", sessionToken: "token")
    }

    func invalidate(_ rejected: AWSCredentials) async { invalidations.withLock { $0 += 1 } }
}

/// A client whose network, clock and chance are the test's.
struct Bench {
    let transport: ScriptedTransport
    let time: ManualTime
    let credentials: CountedCredentials
    let client: AWSClient
    let calls = CallLog()

    init(
        _ steps: [ScriptedTransport.Step], time: ManualTime = ManualTime(), retry: RetryPolicy = RetryPolicy(),
        credentials: CountedCredentials = CountedCredentials()
    ) throws {
        self.credentials = credentials
        transport = ScriptedTransport(steps)
        self.time = time
        let calls = calls
        client = try AWSClient(
            region: "eu-west-1", credentials: credentials, transport: transport,
            options: AWSClient.Options(retry: retry, onCall: { calls.add($0) }, time: time.source))
    }

    var dynamoDB: DynamoDB { DynamoDB(client) }

    /// A write without a token of its own.
    func put() async throws {
        _ = try await dynamoDB.putItem(PutItemRequest(tableName: "t", item: ["pk": .string("a")]))
    }
    /// A read.
    func get() async throws {
        _ = try await dynamoDB.getItem(GetItemRequest(tableName: "t", key: ["pk": .string("a")]))
    }
}

/// What the client's `onCall` was told.
final class CallLog: Sendable {
    private let calls = Mutex<[AWSCall]>([])

    var all: [AWSCall] { calls.withLock { $0 } }
    func add(_ call: AWSCall) { calls.withLock { $0.append(call) } }
}
