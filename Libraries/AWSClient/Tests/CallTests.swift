import Testing

@testable import AWSClient

@Suite("Calls")
struct CallTests {
    typealias Step = ScriptedTransport.Step

    /// What happens to a call's tries, and whether a write is in doubt afterwards.
    struct Doubt: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
        let isInDoubt: Bool

        init(_ name: String, _ steps: [Step], _ isInDoubt: Bool) {
            (testDescription, self.steps, self.isInDoubt) = (name, steps, isInDoubt)
        }
    }

    static let doubts = [
        Doubt("refused", [.error("ConditionalCheckFailedException")], false),
        Doubt("never connected", Array(repeating: .refusedConnection, count: 4), false),
        Doubt("lost", Array(repeating: .lost, count: 4), true),
        Doubt("lost, then refused", [.lost, .error("ConditionalCheckFailedException")], true),
        Doubt("lost, then never connected", [.lost] + Array(repeating: .refusedConnection, count: 3), true),
        Doubt("never connected, then refused", [.refusedConnection, .error("ValidationException")], false),
        Doubt("failed within AWS", Array(repeating: .error("InternalServerError", status: 500), count: 4), true),
        Doubt("failed within AWS, then throttled", [.error("X", status: 500)] + throttles(3), true),
        Doubt("throttled", throttles(4), false),
        Doubt("throttled with 503", Array(repeating: .error("ThrottlingException", status: 503), count: 4), false),
        Doubt("a gateway's page", Array(repeating: .answer(page(504)), count: 4), true),
        Doubt("a proxy's refusal", [.answer(page(403))], false),
        Doubt("a proxy that waited too long for the request", [.answer(page(408))], true),
        Doubt("a redirection", [.answer(page(302))], true),
        Doubt("in progress", Array(repeating: .error("TransactionInProgressException"), count: 4), true),
        Doubt("damaged", Array(repeating: .answer(damaged), count: 4), true),
        Doubt("done, and not understood", [.answer(HTTPResponse(status: 200, body: Array("<html>".utf8)))], true),
    ]

    static func throttles(_ count: Int) -> [Step] { Array(repeating: .error("ThrottlingException"), count: count) }
    static func page(_ status: Int) -> HTTPResponse {
        HTTPResponse(status: status, body: Array("<html>secret page</html>".utf8))
    }
    static let damaged = HTTPResponse(
        status: 200, headers: [HTTPHeader("X-Amz-Crc32", "2745614147")], body: Array("{ }".utf8))

    @Test("says whether a failed write may have been carried out, and that a read changed nothing", arguments: doubts)
    func doubt(_ doubt: Doubt) async throws {
        let write = await #expect(throws: AWSError.self) { try await Bench(doubt.steps).put() }
        #expect(write?.mayHaveTakenEffect == doubt.isInDoubt)
        let read = await #expect(throws: AWSError.self) { try await Bench(doubt.steps).get() }
        #expect(read?.mayHaveTakenEffect == false)
        #expect(read?.description.contains("secret page") == false)
    }

    @Test("tries an answer again whose checksum differs, and takes one whose checksum is right")
    func checksum() async throws {
        let intact = HTTPResponse(
            status: 200, headers: [HTTPHeader("x-amz-crc32", "2745614147")], body: Array("{}".utf8))
        let bench = try Bench([.answer(Self.damaged), .answer(intact)])
        try await bench.get()
        #expect(bench.transport.requests.count == 2)
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum([]) == 0)
    }

    @Test("signs by the server's clock once its own was refused, in this call and the next ones")
    func clockSkew() async throws {
        let date = HTTPHeader("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
        let message = "Signature expired: 20260921T141320Z is now earlier than 20260921T150000Z"
        let bench = try Bench([
            .error("InvalidSignatureException", message: message, headers: [date]), .success, .success,
        ])
        try await bench.put()
        try await bench.put()
        #expect(
            bench.transport.requests.map(\.dateHeader) == ["20260921T141320Z", "19941106T084937Z", "19941106T084937Z"])
        #expect(bench.time.pauses.isEmpty)
    }

    @Test(
        "corrects the clock once for each call, and not for a wrong secret",
        arguments: [("InvalidSignatureException", 1), ("RequestExpired", 2), ("SignatureDoesNotMatch", 1)])
    func wrongSecret(code: String, requests: Int) async throws {
        let headers = [HTTPHeader("Date", "Sun, 06 Nov 1994 08:49:37 GMT")]
        let bench = try Bench(Array(repeating: .error(code, message: "It does not match.", headers: headers), count: 4))
        let error = await #expect(throws: AWSError.self) { try await bench.put() }
        #expect(error?.code.rawValue == code)
        #expect(bench.transport.requests.count == requests)
    }

    @Test(
        "asks for fresh credentials when AWS calls them expired, once",
        arguments: ["ExpiredToken", "ExpiredTokenException"])
    func expiredCredentials(code: String) async throws {
        let bench = try Bench([.error(code), .success])
        try await bench.put()
        #expect(bench.credentials.timesInvalidated == 1)
        let signers = bench.transport.requests.compactMap(\.signer)
        #expect(signers == ["KEY0", "KEY1"])

        let stubborn = try Bench([.error(code), .error(code), .success])
        let error = await #expect(throws: AWSError.self) { try await stubborn.put() }
        #expect(error?.code.rawValue == code)
        #expect(stubborn.transport.requests.count == 2)
    }

    @Test("keeps the doubt of a lost try when the credentials' source, or the transport itself, fails afterwards")
    func brokenCredentials() async throws {
        let bench = try Bench(
            [.lost, .error("ExpiredToken")], credentials: CountedCredentials(failsAfterInvalidation: true))
        let error = await #expect(throws: AWSError.self) { try await bench.put() }
        #expect(error?.code == .brokenCredentials)
        #expect(error?.mayHaveTakenEffect == true)
        let first = try Bench([.error("ExpiredToken")], credentials: CountedCredentials(failsAfterInvalidation: true))
        let certain = await #expect(throws: AWSError.self) { try await first.put() }
        #expect(certain?.mayHaveTakenEffect == false)
        let strange = await #expect(throws: AWSError.self) {
            try await Bench(Array(repeating: .strange, count: 4)).put()
        }
        #expect(strange?.code == .noAnswer)
        #expect(strange?.mayHaveTakenEffect == true)
    }

    @Test("sends what DynamoDB wants, and no header twice")
    func request() async throws {
        let bench = try Bench([.success])
        try await bench.get()
        let request = try #require(bench.transport.requests.first)
        #expect(request.method == "POST")
        #expect(request.url == "https://dynamodb.eu-west-1.amazonaws.com/")
        #expect(
            request.headers.map(\.name) == [
                "Content-Type", "X-Amz-Target", "X-Amz-Date", "X-Amz-Security-Token", "Authorization",
            ])
        #expect(request.headers[0].value == "application/x-amz-json-1.0")
        #expect(request.headers[1].value == "DynamoDB_20120810.GetItem")
    }

    @Test("encodes calls of the query protocol as forms")
    func query() {
        let call = ServiceCall(
            query: .sts, operation: "AssumeRole", version: "2011-06-15",
            parameters: [("RoleArn", "arn:aws:iam::1:role/a b"), ("Ü", "+&=")], isWrite: false)
        #expect(
            String(decoding: call.body, as: UTF8.self)
                == "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fa%20b&%C3%9C=%2B%26%3D"
        )
    }

    @Test("Tells the listener how far the system's clock is ahead of the date of an answer")
    func clockOffset() async throws {
        let date = HTTPHeader("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
        let answer = ScriptedTransport.Step.answer(HTTPResponse(status: 200, headers: [date], body: Array("{}".utf8)))
        // That date is 784111777, and the server's clock showed up to a second more.
        let bench = try Bench([answer, .success], time: ManualTime(now: 784_111_817.5))
        for _ in 0..<2 { try await bench.get() }
        #expect(bench.calls.all.map(\.clockOffset) == [39.5...40.5, nil])
    }

    @Test(
        "A request bounds the difference of the clocks by what it took, unless the clock was set meanwhile",
        arguments: [
            (100, 100, 0, -1...0), (100, 190, 90, -1...90), (10, 101, 91, -91...1), (140, 190, 50, 39...90),
            (100, 3700, 1, nil), (100, 90, 1, nil), (3700, 100, 1, nil),
        ] as [(Double, Double, Double, ClosedRange<Double>?)])
    func longRequest(_ start: Double, _ end: Double, _ duration: Double, _ offset: ClosedRange<Double>?) {
        #expect(AWSClient.clockOffset(from: start, through: end, taking: duration, date: 100) == offset)
    }

    @Test("passes cancellation on, and tells the listener")
    func cancellation() async throws {
        let bench = try Bench([.lost])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await bench.get()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(bench.calls.all.map(\.errorCode) == ["client.Cancelled"])
    }
}

extension HTTPRequest {
    var dateHeader: String? { headers.first { $0.name == "X-Amz-Date" }?.value }
    /// The key's identity within the signature.
    var signer: String? {
        headers.first { $0.name == "Authorization" }?.value.firstMatch(of: /Credential=([^\/]*)\//).map { String($0.1) }
    }
}
