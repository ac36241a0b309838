import Testing

@testable import AWSClient

@Suite("EventBridge")
struct EventBridgeTests {
    private static let entry = PutEventsEntry(source: "discfg", detailType: "change", detail: #"{"a":"SECRET"}"#)

    @Test("Events are put as JSON 1.1, to the region's host, and signed for events")
    func request() async throws {
        let bench = try Bench([.json(#"{"FailedEntryCount":0,"Entries":[{"EventId":"E1"},{"EventId":"E2"}]}"#)])
        let results = try await EventBridge(bench.client).putEvents([
            PutEventsEntry(
                source: "discfg", detailType: "change", detail: #"{"a":1}"#, eventBusName: "bus", time: 1_790_000_000.5,
                resources: ["r"]),
            PutEventsEntry(
                source: "discfg", detailType: "change", detail: "{}",
                eventBusName: "arn:aws:events:eu-west-1:123456789012:event-bus/bus"),
        ])
        #expect(try results.map { try $0.get() } == ["E1", "E2"])
        let request = try #require(bench.transport.requests.first)
        #expect(request.method == "POST" && request.url == "https://events.eu-west-1.amazonaws.com/")
        #expect(request.sent("Content-Type") == "application/x-amz-json-1.1")
        #expect(request.sent("X-Amz-Target") == "AWSEvents.PutEvents")
        #expect(request.scope == "eu-west-1/events")
        #expect(
            try request.json
                == json(
                    #"""
                    {"Entries":[{"Source":"discfg","DetailType":"change","Detail":"{\"a\":1}","EventBusName":"bus",
                    "Time":1790000000.5,"Resources":["r"]},{"Source":"discfg","DetailType":"change","Detail":"{}",
                    "EventBusName":"arn:aws:events:eu-west-1:123456789012:event-bus/bus","Resources":[]}]}
                    """#))
        #expect(bench.calls.all.map(\.service) == ["events"])
    }

    @Test("The endpoint can be set with its own variable")
    func endpoint() throws {
        let configuration = try AWSConfiguration(environment: [
            "AWS_REGION": "eu-west-1", "AWS_ENDPOINT_URL_EVENTBRIDGE": "http://127.0.0.1:1",
        ])
        #expect(try configuration.endpoint(for: .eventBridge).url == "http://127.0.0.1:1/")
    }

    @Test("An event that was not taken is a failure with AWS's code, at its place among those that were")
    func partialFailure() async throws {
        let bench = try Bench([
            .json(
                """
                {"FailedEntryCount":2,"Entries":[{"EventId":"E1"},{"ErrorCode":"ThrottlingException",
                "ErrorMessage":"Rate\\nexceeded"},{"EventId":"E3"},{"ErrorCode":"InternalFailure"}]}
                """)
        ])
        let results = try await EventBridge(bench.client).putEvents(Array(repeating: Self.entry, count: 4))
        #expect(results.map { try? $0.get() } == ["E1", nil, "E3", nil])
        let throttled = try await failure("ThrottlingException") { try results[1].get() }
        #expect(throttled.message == "Rate·exceeded" && throttled.requestID == "R1")
        _ = try await failure("InternalFailure") { try results[3].get() }
        #expect(bench.transport.requests.count == 1)
    }

    @Test(
        "An answer that does not say of each event what became of it is no success",
        arguments: [
            "", "{}", "<html>SECRET</html>", #"{"FailedEntryCount":0,"Entries":[]}"#,
            #"{"FailedEntryCount":0,"Entries":[{"EventId":"E1"}]}"#,
            #"{"FailedEntryCount":1,"Entries":[{"EventId":"E1"},{"EventId":"E2"}]}"#,
            #"{"Entries":[{"EventId":"E1"},{"ErrorCode":"InternalFailure"}]}"#,
            #"{"FailedEntryCount":0,"Entries":[{"EventId":"E1"},{}]}"#,
        ])
    func unreadable(body: String) async throws {
        let bench = try Bench([.json(body)])
        let error = try await failure(.invalidAnswer) {
            try await EventBridge(bench.client).putEvents([Self.entry, Self.entry])
        }
        #expect(error.mayHaveTakenEffect && error.requestID == "R1")
    }

    @Test("A call that is throttled or lost as a whole is sent again")
    func retries() async throws {
        let bench = try Bench([
            .json(#"{"__type":"ThrottlingException","message":"Rate exceeded"}"#, status: 400), .lost,
            .json(#"{"FailedEntryCount":0,"Entries":[{"EventId":"E1"}]}"#),
        ])
        #expect(try await EventBridge(bench.client).putEvents([Self.entry]).map { try $0.get() } == ["E1"])
        #expect(bench.transport.requests.count == 3)
    }

    @Test("A refusal has AWS's code, and nothing of the events")
    func refused() async throws {
        let message = "1 validation error detected: Value '[PutEventsRequestEntry(detail=SECRET)]' at 'entries' failed"
        let bench = try Bench([.json(#"{"__type":"ValidationException","message":"\#(message)"}"#, status: 400)])
        let error = try await failure(.validation) {
            try await EventBridge(bench.client).putEvents(Array(repeating: Self.entry, count: 11))
        }
        #expect(error.message == "1 validation error detected: Value at 'entries' failed")
        #expect(error.status == 400 && !error.mayHaveTakenEffect)
    }

    @Test(
        "A bus that is none, or in another region, is refused before anything is sent",
        arguments: [
            ("arn:aws:events:eu-west-1:123456789012:rule/bus", "is not the name or ARN of an event bus."),
            ("a:b", "is not the name or ARN of an event bus."),
            (
                "arn:aws:events:us-east-2:123456789012:event-bus/bus",
                "is in the region “us-east-2”, and this client is for “eu-west-1”."
            ),
        ])
    func bus(name: String, message: String) async throws {
        let bench = try Bench([])
        var entry = Self.entry
        entry.eventBusName = name
        let error = try await failure(.invalidRequest) { [entry] in
            try await EventBridge(bench.client).putEvents([Self.entry, entry])
        }
        #expect(error.message.contains("“\(name)” \(message)") && bench.transport.requests.isEmpty)
    }

    @Test("Events that no bus takes, and a time that is none, are refused before anything is sent")
    func size() async throws {
        #expect(PutEventsEntry(source: "ü", detailType: "b", detail: "{}", time: 0, resources: ["r"]).size == 20)
        let bench = try Bench([])
        let half = PutEventsEntry(
            source: "", detailType: "", detail: String(repeating: "m", count: MessageSize.maximum / 2 + 1))
        let error = try await failure(.invalidRequest) {
            try await EventBridge(bench.client).putEvents([half, half])
        }
        #expect(error.message.contains("\(MessageSize.maximum + 2) bytes"))
        let timeless = PutEventsEntry(source: "a", detailType: "b", detail: "{}", time: .infinity)
        _ = try await failure(.invalidRequest) { try await EventBridge(bench.client).putEvents([timeless]) }
        #expect(bench.transport.requests.isEmpty)
    }
}
