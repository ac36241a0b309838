import Testing

@testable import AWSClient

@Suite("SQS")
struct SQSTests {
    private static let queue = "https://sqs.eu-west-1.amazonaws.com/123456789012/changes"
    private static let request = SendMessageRequest(queueURL: queue, messageBody: "SECRET")

    @Test("A message is sent as JSON 1.0, to the region's host and not to the queue's URL, and signed for SQS")
    func send() async throws {
        let bench = try Bench([.json(#"{"MessageId":"M1","MD5OfMessageBody":"x","SequenceNumber":"188"}"#)])
        let answer = try await SQS(bench.client).sendMessage(
            SendMessageRequest(
                queueURL: Self.queue, messageBody: "hé\n", messageAttributes: ["kind": "set"], messageGroupID: "g",
                messageDeduplicationID: "d"))
        #expect(answer == SendMessageResponse(messageID: "M1", sequenceNumber: "188"))
        let request = try #require(bench.transport.requests.first)
        #expect(request.method == "POST" && request.url == "https://sqs.eu-west-1.amazonaws.com/")
        #expect(request.sent("Content-Type") == "application/x-amz-json-1.0")
        #expect(request.sent("X-Amz-Target") == "AmazonSQS.SendMessage")
        #expect(request.scope == "eu-west-1/sqs")
        #expect(
            try request.json
                == json(
                    """
                    {"QueueUrl":"\(Self.queue)","MessageBody":"hé\\n",
                    "MessageAttributes":{"kind":{"DataType":"String","StringValue":"set"}},
                    "MessageGroupId":"g","MessageDeduplicationId":"d"}
                    """))
    }

    @Test("What a message does not have is not sent, and an answer need not have a sequence number")
    func plain() async throws {
        let bench = try Bench([.json(#"{"MessageId":"M1"}"#)])
        let answer = try await SQS(bench.client).sendMessage(
            SendMessageRequest(queueURL: Self.queue, messageBody: "m"))
        #expect(answer == SendMessageResponse(messageID: "M1", sequenceNumber: nil))
        #expect(
            try bench.transport.requests.first?.json == json(#"{"QueueUrl":"\#(Self.queue)","MessageBody":"m"}"#))
    }

    @Test("Messages are received with all their attributes, and may take as long as the wait and one try")
    func receive() async throws {
        let bench = try Bench([
            .json(
                """
                {"Messages":[{"MessageId":"M1","ReceiptHandle":"H1","MD5OfBody":"x","Body":"{}",
                "Attributes":{"MessageGroupId":"g"},"MessageAttributes":{"kind":{"DataType":"String","StringValue":"set"},
                "raw":{"DataType":"Binary","BinaryValue":"AQ=="}}},{"MessageId":"M2","ReceiptHandle":"H2","Body":"b"}]}
                """), .json("{}"),
        ])
        let sqs = SQS(bench.client)
        let messages = try await sqs.receiveMessages(from: Self.queue, atMost: 2, wait: .seconds(20))
        #expect(
            messages == [
                ReceivedMessage(
                    messageID: "M1", receiptHandle: "H1", body: "{}", messageAttributes: ["kind": "set"],
                    systemAttributes: ["MessageGroupId": "g"]),
                ReceivedMessage(
                    messageID: "M2", receiptHandle: "H2", body: "b", messageAttributes: [:], systemAttributes: [:]),
            ])
        #expect(try await sqs.receiveMessages(from: Self.queue).isEmpty)
        let requests = bench.transport.requests
        #expect(requests.map { $0.sent("X-Amz-Target") } == Array(repeating: "AmazonSQS.ReceiveMessage", count: 2))
        #expect(bench.transport.timeouts == [.seconds(22), .seconds(2)])
        for (request, expected) in zip(requests, [(2, 20), (10, 0)]) {
            #expect(
                try request.json
                    == json(
                        """
                        {"QueueUrl":"\(Self.queue)","MaxNumberOfMessages":\(expected.0),"WaitTimeSeconds":\(expected.1),
                        "MessageAttributeNames":["All"],"MessageSystemAttributeNames":["All"]}
                        """))
        }
    }

    @Test("A message is deleted by its receipt")
    func delete() async throws {
        let bench = try Bench([.json("{}")])
        try await SQS(bench.client).deleteMessage("H1", from: Self.queue)
        let request = try #require(bench.transport.requests.first)
        #expect(request.sent("X-Amz-Target") == "AmazonSQS.DeleteMessage")
        #expect(try request.json == json(#"{"QueueUrl":"\#(Self.queue)","ReceiptHandle":"H1"}"#))
    }

    @Test("A throttled or lost message is sent again")
    func retries() async throws {
        let bench = try Bench([
            .sqsError("RequestThrottled", queryCode: "RequestThrottled", status: 403), .lost,
            .json(#"{"MessageId":"M1"}"#),
        ])
        #expect(try await SQS(bench.client).sendMessage(Self.request).messageID == "M1")
        #expect(bench.transport.requests.count == 3)
    }

    @Test("A refusal has the code of the JSON protocol, and nothing of the message")
    func refused() async throws {
        let bench = try Bench([
            .sqsError("QueueDoesNotExist", queryCode: "AWS.SimpleQueueService.NonExistentQueue"),
            .sqsError(
                "InvalidParameterValue", queryCode: "InvalidParameterValue",
                message: "Value '[SECRET]' at 'messageBody' failed"),
        ])
        let missing = try await failure("QueueDoesNotExist") { try await SQS(bench.client).sendMessage(Self.request) }
        #expect(missing.status == 400 && missing.requestID == "R1" && !missing.mayHaveTakenEffect)
        let invalid = try await failure("InvalidParameterValue") {
            try await SQS(bench.client).sendMessage(Self.request)
        }
        #expect(invalid.message == "Value at 'messageBody' failed")
        #expect(bench.transport.requests.count == 2)
    }

    @Test(
        "An answer that SQS would not give leaves it open whether the message was sent",
        arguments: ["", "{}", #"{"MessageId":7}"#, "<html>SECRET</html>"])
    func unreadable(body: String) async throws {
        let bench = try Bench([.json(body), .json(#"{"Messages":[{"Body":"SECRET"}]}"#)])
        let sent = try await failure(.invalidAnswer) { try await SQS(bench.client).sendMessage(Self.request) }
        #expect(sent.mayHaveTakenEffect && sent.requestID == "R1")
        let received = try await failure(.invalidAnswer) {
            try await SQS(bench.client).receiveMessages(from: Self.queue)
        }
        #expect(!received.mayHaveTakenEffect)
    }

    @Test(
        "What is no queue's URL is refused by its text, before anything is sent",
        arguments: [
            "", "changes", "arn:aws:sqs:eu-west-1:123456789012:changes", "https://sqs.eu-west-1.amazonaws.com",
            "https://user:SECRET@sqs.eu-west-1.amazonaws.com/1/changes", "ftp://host/1/changes",
        ])
    func noQueue(url: String) async throws {
        let bench = try Bench([])
        let error = try await failure(.invalidRequest) {
            try await SQS(bench.client).sendMessage(SendMessageRequest(queueURL: url, messageBody: "SECRET"))
        }
        let shown = url.contains("@") ? "What was given" : "“\(url)”"
        #expect(error.message == "\(shown) is not the URL of a queue." && bench.transport.requests.isEmpty)
    }

    @Test("A queue at AWS's host of another region is refused with both regions; other hosts name no region")
    func region() async throws {
        let hosts = ["127.0.0.1:4566", "sqs.us-east-2.stand-in.example", "sqs.", "sqs"]
        let bench = try Bench(Array(repeating: .json("{}"), count: hosts.count))
        let error = try await failure(.invalidRequest) {
            try await SQS(bench.client).deleteMessage("H", from: "https://sqs.us-east-2.amazonaws.com/1/q")
        }
        #expect(error.message.contains("is in the region “us-east-2”, and this client is for “eu-west-1”."))
        #expect(bench.transport.requests.isEmpty)
        for host in hosts { try await SQS(bench.client).deleteMessage("H", from: "http://\(host)/1/q") }
        #expect(bench.transport.requests.count == hosts.count)
    }

    @Test("A message that no queue takes is refused with its size")
    func size() async throws {
        let bench = try Bench([])
        let error = try await failure(.invalidRequest) {
            try await SQS(bench.client).sendMessage(
                SendMessageRequest(
                    queueURL: Self.queue, messageBody: String(repeating: "m", count: MessageSize.maximum),
                    messageAttributes: ["a": "b"]))
        }
        #expect(error.message.contains("\(MessageSize.maximum + 8) bytes") && bench.transport.requests.isEmpty)
    }
}
