import AWSTestSupport
import Testing

@testable import AWSClient

/// What a stand-in for AWS makes of our messages and events.
@Suite("Notifications, live", .needsMinistack)
struct NotificationsLiveTests {
    private static let text = "hé 🦊 +&=%;\"<>\n\t{}"

    /// Runs a test with the shared stand-in, and a name that no other test has.
    private func withNames(_ body: (LiveClient, Ministack, String) async throws -> Void) async throws {
        let ministack = try await Ministack.shared()
        try await LiveClient.with(ministack.url, StaticCredentials(Ministack.rootKey)) { live in
            try await body(live, ministack, "notes-\(UInt64.random(in: 0 ... .max))")
        }
    }

    @Test("A queue that subscribed to a topic gets what is published, with its attributes, subject and text")
    func topic() async throws {
        try await withNames { live, ministack, name in
            let topic = try await ministack.createTopic(name)
            let raw = try await ministack.createQueue(name)
            let wrapped = try await ministack.createQueue("\(name)-wrapped")
            try await ministack.subscribe(topic, to: raw, raw: true)
            try await ministack.subscribe(topic, to: wrapped)
            let answer = try await SNS(live.client).publish(
                PublishRequest(
                    topicARN: topic, message: Self.text, subject: "a subject", messageAttributes: ["kind": "set +1"]))
            #expect(!answer.messageID.isEmpty && answer.sequenceNumber == nil)

            let sqs = SQS(live.client)
            let message = try #require(try await sqs.receiveMessages(from: raw, wait: .seconds(9)).first)
            #expect(message.body == Self.text && message.messageAttributes == ["kind": "set +1"])
            #expect(message.systemAttributes["ApproximateReceiveCount"] == "1")
            try await sqs.deleteMessage(message.receiptHandle, from: raw)
            _ = try await failure("ReceiptHandleIsInvalid") {
                try await sqs.deleteMessage("none", from: raw)
            }

            let body = try #require(try await ministack.messages(in: wrapped, waiting: 9).first)
            let members = try #require(try json(body).map)
            #expect(members["Message"] == .string(Self.text) && members["Subject"] == .string("a subject"))
            #expect(members["MessageId"] == .string(answer.messageID))
        }
    }

    @Test("A FIFO topic passes on the messages of a group in their order, and one deduplication id once")
    func fifo() async throws {
        try await withNames { live, ministack, name in
            let topic = try await ministack.createTopic("\(name).fifo")
            let queue = try await ministack.createQueue("\(name).fifo")
            try await ministack.subscribe(topic, to: queue, raw: true)
            var numbers: [String] = []
            for id in [1, 2, 3, 3, 4] {
                let answer = try await SNS(live.client).publish(
                    PublishRequest(
                        topicARN: topic, message: "\(id)", messageGroupID: "g", messageDeduplicationID: "d\(id)"))
                numbers.append(try #require(answer.sequenceNumber))
            }
            #expect(numbers == numbers.sorted() && Set(numbers).count == 4)
            let messages = try await SQS(live.client).receiveMessages(from: queue, wait: .seconds(9))
            #expect(messages.map(\.body) == ["1", "2", "3", "4"])
            #expect(messages.allSatisfy { $0.systemAttributes["MessageGroupId"] == "g" })
            _ = try await failure {
                try await SNS(live.client).publish(PublishRequest(topicARN: topic, message: "without a group"))
            }
        }
    }

    @Test("A queue gets what is sent to it; a FIFO queue in order, and one deduplication id once")
    func queues() async throws {
        try await withNames { live, ministack, name in
            let sqs = SQS(live.client)
            let plain = try await ministack.createQueue(name)
            let answer = try await sqs.sendMessage(
                SendMessageRequest(queueURL: plain, messageBody: Self.text, messageAttributes: ["lower-case": "v"]))
            let message = try #require(try await sqs.receiveMessages(from: plain, wait: .seconds(9)).first)
            #expect(message.messageID == answer.messageID && message.body == Self.text)
            #expect(message.messageAttributes == ["lower-case": "v"])
            try await sqs.deleteMessage(message.receiptHandle, from: plain)
            #expect(try await sqs.receiveMessages(from: plain).isEmpty)

            let fifo = try await ministack.createQueue("\(name).fifo")
            for id in [1, 2, 2, 3] {
                let answer = try await sqs.sendMessage(
                    SendMessageRequest(
                        queueURL: fifo, messageBody: "\(id)", messageGroupID: "g", messageDeduplicationID: "d\(id)"))
                #expect(answer.sequenceNumber != nil)
            }
            #expect(try await ministack.messages(in: fifo, waiting: 9) == ["1", "2", "3"])
            #expect(try await ministack.messages(in: fifo).isEmpty)
        }
    }

    @Test("A topic, and a queue, that is not there is refused with AWS's code, once")
    func missing() async throws {
        try await withNames { live, ministack, name in
            let topic = "arn:aws:sns:\(Ministack.region):\(Ministack.account):\(name)"
            let queue = "\(ministack.url)/\(Ministack.account)/\(name)"
            let noTopic = try await failure("NotFound") {
                try await SNS(live.client).publish(PublishRequest(topicARN: topic, message: "SECRET"))
            }
            #expect(noTopic.status == 404 && noTopic.requestID != nil && !noTopic.mayHaveTakenEffect)
            let noQueue = try await failure("QueueDoesNotExist") {
                try await SQS(live.client).sendMessage(SendMessageRequest(queueURL: queue, messageBody: "SECRET"))
            }
            #expect(noQueue.status == 400 && noQueue.requestID != nil && !noQueue.mayHaveTakenEffect)
            _ = try await failure("QueueDoesNotExist") { try await SQS(live.client).receiveMessages(from: queue) }
            #expect(live.calls.all.map(\.attempts) == [1, 1, 1])
        }
    }

    @Test("A rule passes on the events that match, and one event of several can fail alone")
    func events() async throws {
        try await withNames { live, ministack, name in
            let bus = try await ministack.createBus(name)
            let queue = try await ministack.createQueue(name)
            try await ministack.createRule("rule", on: name, pattern: #"{"source":["discfg"]}"#, to: queue)
            func entry(_ source: String, _ number: Int, _ bus: String) -> PutEventsEntry {
                PutEventsEntry(
                    source: source, detailType: "change", detail: #"{"n":\#(number)}"#, eventBusName: bus,
                    time: 1_790_000_000.5, resources: ["config"])
            }
            let results = try await EventBridge(live.client).putEvents([
                entry("discfg", 1, name), entry("aws.discfg", 2, name), entry("other", 3, name),
                entry("discfg", 4, bus),
            ])
            #expect(results.map { (try? $0.get()) != nil } == [true, false, true, true])
            _ = try await failure("NotAuthorizedForSourceException") { try results[1].get() }
            let events = try await ministack.messages(in: queue, waiting: 9).map { try json($0).map }
            #expect(events.map { $0?["detail"] } == [.map(["n": .number("1")]), .map(["n": .number("4")])])
            #expect(events.first??["detail-type"] == .string("change"))
            #expect(events.first??["resources"] == .list([.string("config")]))
            #expect(try events.first??["id"] == .string(results[0].get()))

            let tooMany = try await failure(.validation) {
                try await EventBridge(live.client).putEvents((1...11).map { entry("discfg", $0, name) })
            }
            #expect(tooMany.status == 400 && !tooMany.mayHaveTakenEffect)
        }
    }

    @Test("All three are signed as AWS wants it, and a wrong secret is refused")
    func signatures() async throws {
        try await Ministack.with(checkingAccess: true) { ministack in
            let topic = try await ministack.createTopic("topic")
            let queue = try await ministack.createQueue("queue")
            let ann = try await ministack.createUser(
                "ann",
                policy: """
                    {"Version":"2012-10-17","Statement":[{"Effect":"Allow",\
                    "Action":["sns:Publish","sqs:SendMessage","events:PutEvents"],"Resource":"*"}]}
                    """)
            let publish = PublishRequest(topicARN: topic, message: Self.text, messageAttributes: ["kind": "ä /+"])
            let send = SendMessageRequest(queueURL: queue, messageBody: Self.text)
            let event = PutEventsEntry(source: "discfg", detailType: "change", detail: "{}")
            try await LiveClient.with(ministack.url, StaticCredentials(ann)) { live in
                _ = try await SNS(live.client).publish(publish)
                _ = try await SQS(live.client).sendMessage(send)
                #expect(try await EventBridge(live.client).putEvents([event]).map { try $0.get() }.count == 1)
                let denied = try await failure("AccessDeniedException") {
                    try await SQS(live.client).receiveMessages(from: queue)
                }
                #expect(denied.status == 403)
            }
            let wrong = StaticCredentials(AccessKey(id: ann.id, secret: String(ann.secret.reversed())))
            try await LiveClient.with(ministack.url, wrong) { live in
                _ = try await failure("SignatureDoesNotMatch") { try await SNS(live.client).publish(publish) }
                _ = try await failure("SignatureDoesNotMatch") { try await SQS(live.client).sendMessage(send) }
                _ = try await failure("InvalidSignatureException") {
                    try await EventBridge(live.client).putEvents([event])
                }
            }
        }
    }
}
