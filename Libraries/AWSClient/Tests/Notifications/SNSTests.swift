import Testing

@testable import AWSClient

@Suite("SNS")
struct SNSTests {
    private static let topic = "arn:aws:sns:eu-west-1:123456789012:changes"
    private static let request = PublishRequest(topicARN: topic, message: "SECRET")

    @Test("A message is sent as the query protocol has it, to the region's host, and signed for SNS")
    func request() async throws {
        let bench = try Bench([.published("M1", sequenceNumber: "10000000000000003000")])
        let answer = try await SNS(bench.client).publish(
            PublishRequest(
                topicARN: Self.topic, message: "hé +&=%\n", subject: "s",
                messageAttributes: ["kind": "set", "a": "b c"],
                messageGroupID: "g", messageDeduplicationID: "d"))
        #expect(answer == PublishResponse(messageID: "M1", sequenceNumber: "10000000000000003000"))
        let request = try #require(bench.transport.requests.first)
        #expect(request.method == "POST" && request.url == "https://sns.eu-west-1.amazonaws.com/")
        #expect(request.sent("Content-Type") == "application/x-www-form-urlencoded; charset=utf-8")
        #expect(request.scope == "eu-west-1/sns")
        #expect(
            request.form == [
                "Action=Publish", "Version=2010-03-31", "TopicArn=\(Self.topic)", "Message=hé +&=%\n", "Subject=s",
                "MessageAttributes.entry.1.Name=a", "MessageAttributes.entry.1.Value.DataType=String",
                "MessageAttributes.entry.1.Value.StringValue=b c", "MessageAttributes.entry.2.Name=kind",
                "MessageAttributes.entry.2.Value.DataType=String", "MessageAttributes.entry.2.Value.StringValue=set",
                "MessageGroupId=g", "MessageDeduplicationId=d",
            ])
        #expect(bench.calls.all.map(\.service) == ["sns"] && bench.calls.all.map(\.operation) == ["Publish"])
    }

    @Test("What a message does not have is not sent, and an answer need not have a sequence number")
    func plain() async throws {
        let bench = try Bench([.published("M1")])
        let answer = try await SNS(bench.client).publish(PublishRequest(topicARN: Self.topic, message: "m"))
        #expect(answer == PublishResponse(messageID: "M1", sequenceNumber: nil))
        #expect(
            bench.transport.requests.first?.form == [
                "Action=Publish", "Version=2010-03-31", "TopicArn=\(Self.topic)", "Message=m",
            ])
    }

    @Test("A throttled or lost message is sent again, the same to the byte")
    func retries() async throws {
        let bench = try Bench([
            .snsError("Throttling", message: "Rate exceeded"), .lost, .snsError("InternalError", status: 500),
            .published("M1"),
        ])
        #expect(try await SNS(bench.client).publish(Self.request).messageID == "M1")
        #expect(bench.transport.requests.count == 4)
        #expect(Set(bench.transport.requests.map(\.body)).count == 1)
        // A second at the most after being throttled, then 50 and 100 ms at the most; and the die shows a half.
        #expect(bench.time.pauses == [.milliseconds(500), .milliseconds(25), .milliseconds(50)])
    }

    @Test(
        "A refusal has AWS's code, sentence, status and request, and nothing of the message",
        arguments: [
            (404, "NotFound", "Topic does not exist", "Topic does not exist"),
            (403, "AuthorizationError", "User: x is not authorized", "User: x is not authorized"),
            (
                400, "ValidationError", "1 error: Value 'SECRET' at 'message' failed to satisfy constraint",
                "1 error: Value at 'message' failed to satisfy constraint"
            ),
        ])
    func refused(status: Int, code: String, message: String, shown: String) async throws {
        let bench = try Bench([.snsError(code, status: status, message: message)])
        let error = try await failure(AWSError.Code(rawValue: code)) {
            try await SNS(bench.client).publish(Self.request)
        }
        #expect(error.message == shown && error.status == status && error.requestID == "R1")
        #expect(!error.mayHaveTakenEffect && bench.transport.requests.count == 1)
    }

    @Test(
        "An answer that SNS would not give leaves it open whether the message was published",
        arguments: [
            "", "{}", "<html>SECRET</html>", "<PublishResponse/>",
            "<PublishResponse><PublishResult><MessageId></MessageId></PublishResult></PublishResponse>",
        ])
    func unreadable(body: String) async throws {
        let bench = try Bench([.json(body)])
        let error = try await failure(.invalidAnswer) { try await SNS(bench.client).publish(Self.request) }
        #expect(error.mayHaveTakenEffect && error.requestID == "R1" && error.status == 200)
    }

    @Test(
        "What is no topic's ARN is refused by its text, before anything is sent",
        arguments: [
            "", "changes", "arn:aws:sns:eu-west-1:123456789012", "arn:aws:sns:eu-west-1::changes",
            "arn:aws:sqs:eu-west-1:123456789012:changes", "arn:aws:sns:eu-west-1:123456789012:changes:subscription",
            "ARN:aws:sns:eu-west-1:123456789012:changes", "https://sns.eu-west-1.amazonaws.com/1/changes",
        ])
    func noTopic(arn: String) async throws {
        let bench = try Bench([])
        let error = try await failure(.invalidRequest) {
            try await SNS(bench.client).publish(PublishRequest(topicARN: arn, message: "SECRET"))
        }
        #expect(error.message == "“\(arn)” is not the ARN of a topic.")
        #expect(error.hint?.contains("arn:aws:sns:REGION") == true && bench.transport.requests.isEmpty)
    }

    @Test("A topic of another region is refused with both regions, before anything is sent")
    func region() async throws {
        let bench = try Bench([])
        let error = try await failure(.invalidRequest) {
            try await SNS(bench.client).publish(
                PublishRequest(topicARN: "arn:aws:sns:us-east-2:123456789012:t", message: "SECRET"))
        }
        #expect(
            error.message
                == "The topic “arn:aws:sns:us-east-2:123456789012:t” is in the region “us-east-2”, "
                + "and this client is for “eu-west-1”.")
        #expect(error.hint?.contains("“us-east-2”") == true && bench.transport.requests.isEmpty)
    }

    @Test("A message that no topic takes is refused with its size; its bytes and its attributes' count")
    func size() async throws {
        var request = PublishRequest(topicARN: Self.topic, message: "ü", messageAttributes: ["ab": "cde"])
        #expect(request.size == 2 + 2 + "String".utf8.count + 3)
        request.message = String(repeating: "m", count: MessageSize.maximum - 11)
        let bench = try Bench([.published("M1")])
        #expect(request.size == MessageSize.maximum)
        _ = try await SNS(bench.client).publish(request)
        request.message += "m"
        let error = try await failure(.invalidRequest) { [request] in try await SNS(bench.client).publish(request) }
        #expect(error.message.contains("1048577 bytes") && error.message.contains("1048576"))
        #expect(bench.transport.requests.count == 1)
    }
}
