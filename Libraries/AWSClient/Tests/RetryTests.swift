import Testing

@testable import AWSClient

@Suite("Retries")
struct RetryTests {
    /// A refusal, and the longest pause before the second try; `nil` where there is none.
    static let refusals: [(code: String, status: Int, longest: Duration?)] =
        RetryPolicy.throttledCodes.map { ($0.rawValue, 400, .seconds(1)) } + [
            ("RequestTimeout", 400, .milliseconds(25)), ("RequestTimeoutException", 400, .milliseconds(25)),
            ("ReplicatedWriteConflictException", 400, .milliseconds(25)),
            ("InternalServerError", 500, .milliseconds(25)),
            ("ServiceUnavailable", 503, .milliseconds(25)), ("Anything", 502, .milliseconds(25)),
            ("Anything", 504, .milliseconds(25)), ("ThrottlingException", 503, .seconds(1)), ("Anything", 501, nil),
            ("Anything", 413, nil), ("ConditionalCheckFailedException", 400, nil), ("ValidationException", 400, nil),
            ("TransactionCanceledException", 400, nil), ("TransactionConflictException", 400, nil),
            ("AccessDeniedException", 400, nil), ("UnrecognizedClientException", 400, nil),
            ("ItemCollectionSizeLimitExceededException", 400, nil), ("ResourceNotFoundException", 400, nil),
        ]

    @Test("tries again exactly what may help, after a pause of the right length", arguments: refusals)
    func table(code: String, status: Int, longest: Duration?) async throws {
        for random in [0, 0.5, 0.999] {
            let bench = try Bench([.error(code, status: status), .success], time: ManualTime(random: random))
            if let longest {
                try await bench.get()
                #expect(bench.time.pauses == [longest * random])
                #expect(bench.calls.all.map(\.attempts) == [2])
            } else {
                let error = await #expect(throws: AWSError.self) { try await bench.get() }
                #expect(error?.code.rawValue == code)
                #expect(error?.status == status)
                #expect(error?.requestID == "R1")
                #expect(bench.transport.requests.count == 1)
            }
        }
    }

    @Test("doubles the pause, up to its bound, and gives up after the fourth try with AWS's last words")
    func doubling() async throws {
        let bench = try Bench(Array(repeating: .error("ThrottlingException"), count: 9))
        let error = await #expect(throws: AWSError.self) { try await bench.get() }
        #expect(error?.code == "ThrottlingException")
        #expect(bench.time.pauses == [.milliseconds(500), .seconds(1), .seconds(2)])
        #expect(bench.calls.all.map(\.attempts) == [4])
        #expect(bench.calls.all.map(\.errorCode) == ["ThrottlingException"])
        let policy = RetryPolicy()
        #expect(policy.pause(afterAttempt: 30, isThrottled: true, retryAfter: nil, random: 1) == .seconds(20))
    }

    @Test(
        "waits as long as the server asks, within bounds",
        arguments: [
            ("300", .milliseconds(300)), ("60000", .milliseconds(5012) + .microseconds(500)),
            ("0", .microseconds(12500)),
            ("-5", .microseconds(12500)), ("soon", .microseconds(12500)),
            ("99999999999999999999", .microseconds(12500)),
        ] as [(String, Duration)])
    func retryAfter(header: String, pause: Duration) async throws {
        let headers = [HTTPHeader("x-amz-retry-after", header)]
        let bench = try Bench([.error("InternalServerError", status: 500, headers: headers), .success])
        try await bench.get()
        #expect(bench.time.pauses == [pause])
    }

    @Test("stops retrying when the quota is spent, and goes on after successes")
    func quota() async throws {
        // Room for two retries at 14, and not for a third.
        let policy = RetryPolicy(quotaCapacity: 41)
        let bench = try Bench(Array(repeating: .lost, count: 4) + [.success, .lost, .success], retry: policy)
        let error = await #expect(throws: AWSError.self) { try await bench.get() }
        #expect(error?.hint?.contains("Too many calls fail") == true)
        #expect(bench.transport.requests.count == 3)
        // 13 are left: one try that fails, and no second.
        await #expect(throws: AWSError.self) { try await bench.get() }
        #expect(bench.transport.requests.count == 4)
        // A success without retries puts 1 back, which makes 14, and a retry that helps costs nothing in the end.
        try await bench.get()
        try await bench.get()
        #expect(bench.transport.requests.count == 7)
        #expect(bench.client.quota.acquire(14))
        #expect(!bench.client.quota.acquire(1))
    }

    @Test("begins no pause and no try that would pass the deadline")
    func deadline() async throws {
        let time = ManualTime(random: 0.9)
        let bench = try Bench([.error("ThrottlingException"), .error("ThrottlingException"), .success], time: time)
        let error = await AWSClient.$deadline.withValue(time.instant + .milliseconds(1500)) {
            await #expect(throws: AWSError.self) { try await bench.get() }
        }
        #expect(error?.code == "ThrottlingException")
        #expect(error?.hint?.contains("deadline") == true)
        #expect(time.pauses == [.milliseconds(900)])
        #expect(bench.transport.timeouts == [.milliseconds(1500), .milliseconds(600)])
    }

    @Test("sends nothing when the deadline has passed")
    func late() async throws {
        let bench = try Bench([.success])
        let error = await AWSClient.$deadline.withValue(bench.time.instant) {
            await #expect(throws: AWSError.self) { try await bench.put() }
        }
        #expect(error?.code == .noAnswer)
        #expect(error?.mayHaveTakenEffect == false)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test("gives transactions more time than the rest, and sends one token with all tries")
    func transactions() async throws {
        let bench = try Bench([.success, .lost, .error("TransactionInProgressException"), .success])
        try await bench.get()
        _ = try await bench.dynamoDB.transactWriteItems(
            TransactWriteItemsRequest(transactItems: [.put(.init(tableName: "t", item: ["pk": .string("a")]))]))
        #expect(bench.transport.timeouts == [.seconds(2), .seconds(3), .seconds(3), .seconds(3)])
        let bodies = Set(bench.transport.requests.dropFirst().map(\.body))
        #expect(bodies.count == 1)
        let body = String(decoding: try #require(bodies.first), as: UTF8.self)
        #expect(body.firstMatch(of: /"ClientRequestToken":"[0-9a-f]{32}"/) != nil)
    }

    static let cancellations: [(reasons: [String], isContention: Bool)] = [
        (["TransactionConflict"], true), (["None", "TransactionConflict", "ThrottlingError"], true),
        (["ProvisionedThroughputExceeded", "RequestLimitExceeded"], true), (["None"], false), ([], false),
        (["ConditionalCheckFailed"], false), (["TransactionConflict", "ConditionalCheckFailed"], false),
        (["ValidationError", "TransactionConflict"], false),
    ]

    @Test("tries a cancelled transaction again for contention alone, and only when asked to", arguments: cancellations)
    func contention(reasons: [String], isContention: Bool) async throws {
        let list = reasons.map { #"{"Code":"\#($0)"}"# }.joined(separator: ",")
        let refusal = ScriptedTransport.Step.error(
            "TransactionCanceledException", members: #","CancellationReasons":[\#(list)]"#)
        for retrying in [false, true] {
            let bench = try Bench([refusal, .success])
            let result = await Result {
                try await bench.dynamoDB.transactGetItems(
                    TransactGetItemsRequest(transactItems: []), retryingContention: retrying)
            }
            #expect(bench.transport.requests.count == (retrying && isContention ? 2 : 1))
            guard case .failure(let error as AWSError) = result else { continue }
            #expect(error.isContention == isContention)
            #expect(error.cancellationReasons.map(\.code.rawValue) == reasons)
        }
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
