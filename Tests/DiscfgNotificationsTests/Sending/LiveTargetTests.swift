import AWSClient
import AWSTestSupport
import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgNotifications

/// Notifications on their way through a stand-in for AWS, from a commit to whoever reads the queue.
@Suite(
    "Targets, live",
    .enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? "")))
struct LiveTargetTests {
    /// Runs a test with a notifier that sends to the stand-in, and a name that no other test has.
    private func run(_ body: (Ministack, Notifier, ConfigName, String) async throws -> Void) async throws {
        let ministack = try await Ministack.shared()
        let url = ministack.url
        let sender = TargetSender(allowsPrivateWebhooks: true) { region in
            try AWSClient(
                region: region ?? Ministack.region, endpoint: url,
                credentials: StaticCredentials(
                    accessKeyID: Ministack.rootKey.id, secretAccessKey: Ministack.rootKey.secret),
                options: .init(
                    retry: RetryPolicy(), timeouts: .init(connect: .seconds(30), request: .seconds(30))))
        }
        let bench = try await Bench()
        let notifier = Notifier(service: bench.service, sender: sender, logger: bench.log.logger)
        let result: Result<Void, any Error>
        do {
            try await body(ministack, notifier, bench.config, "n\(UInt64.random(in: 0 ... .max))")
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await sender.shutdown()
        try result.get()
    }

    /// Adds a rule, commits so many times, and delivers.
    private func send(
        _ count: Int, to target: String, _ notifier: Notifier, _ config: ConfigName, id: String = "r"
    ) async throws -> NotificationStatus {
        let rule = try NotificationRule(id: id, to: NotificationTarget(target), withValues: true)
        _ = try await notifier.addNotification(rule, to: config)
        for number in 1...count {
            let set = Operation.set(try Key(path: "/key"), Value("é 🦊 <&+%> \u{FFFF} \(number)"))
            _ = try await notifier.service.commit(Transaction(then: [set], author: "ann"), to: config)
        }
        _ = try await notifier.deliver(in: config)
        return try #require(try await notifier.notifications(of: config).first { $0.rule.id == id })
    }

    /// The values of the events, in the order in which they come out of the queue.
    private func values(_ count: Int, _ queue: String, _ ministack: Ministack, within: String? = nil) async throws
        -> [String]
    {
        var values: [String] = []
        while values.count < count {
            let messages = try await ministack.messages(in: queue, waiting: 9)
            guard !messages.isEmpty else { return values }
            for text in messages {
                let json = try JSONValue(parsing: Array(text.utf8))
                let event = within.map { json[$0] ?? .null } ?? json
                #expect(event["specversion"] == "1.0" && event["type"] == "dev.discfg.commit")
                values.append(event["data"]?["changes"]?.array?.first?["value"]?.string ?? "")
            }
        }
        return values
    }

    private func expected(_ count: Int) -> [String] { (1...count).map { "é 🦊 <&+%> \u{FFFF} \($0)" } }

    @Test("A topic passes them on to its queue")
    func topic() async throws {
        try await run { ministack, notifier, config, name in
            let topic = try await ministack.createTopic(name)
            let queue = try await ministack.createQueue(name)
            try await ministack.subscribe(topic, to: queue, raw: true)
            #expect(try await send(3, to: "sns:\(topic)", notifier, config).failure == nil)
            #expect(try await Set(values(3, queue, ministack)) == Set(expected(3)))
        }
    }

    @Test("A queue gets them; a test as well")
    func queue() async throws {
        try await run { ministack, notifier, config, name in
            let queue = try await ministack.createQueue(name)
            #expect(try await send(3, to: "sqs:\(queue)", notifier, config).failure == nil)
            #expect(try await Set(values(3, queue, ministack)) == Set(expected(3)))
            try await notifier.testNotification("r", in: config)
            let test = try #require(try await ministack.messages(in: queue, waiting: 9).first)
            #expect(try JSONValue(parsing: Array(test.utf8))["type"] == "dev.discfg.test")
        }
    }

    @Test("A FIFO queue, and a FIFO topic, gets them in order", arguments: [false, true])
    func fifo(throughTopic: Bool) async throws {
        try await run { ministack, notifier, config, name in
            let queue = try await ministack.createQueue("\(name).fifo")
            var target = "sqs:\(queue)"
            if throughTopic {
                let topic = try await ministack.createTopic("\(name).fifo")
                try await ministack.subscribe(topic, to: queue, raw: true)
                target = "sns:\(topic)"
            }
            #expect(try await send(12, to: target, notifier, config).failure == nil)
            #expect(try await values(12, queue, ministack) == expected(12))
        }
    }

    @Test("A FIFO queue that two rules name gets what each of them tells of a commit")
    func fifoOfTwo() async throws {
        try await run { ministack, notifier, config, name in
            let queue = try await ministack.createQueue("\(name).fifo")
            let other = try NotificationRule(id: "other", to: NotificationTarget("sqs:\(queue)"), withValues: true)
            _ = try await notifier.addNotification(other, to: config)
            _ = try await send(2, to: "sqs:\(queue)", notifier, config)
            #expect(try await values(4, queue, ministack).sorted() == (expected(2) + expected(2)).sorted())
        }
    }

    @Test("A bus passes them on to the queue of its rule, with the event as detail")
    func bus() async throws {
        try await run { ministack, notifier, config, name in
            let arn = try await ministack.createBus(name)
            let queue = try await ministack.createQueue(name)
            try await ministack.createRule(
                "rule", on: name, pattern: #"{"source":["discfg"],"detail-type":["dev.discfg.commit"]}"#, to: queue)
            #expect(try await send(2, to: "eventbridge:\(name)", notifier, config).failure == nil)
            #expect(try await Set(values(2, queue, ministack, within: "detail")) == Set(expected(2)))
            #expect(try await send(1, to: "eventbridge:\(arn)", notifier, config, id: "arn").failure == nil)
        }
    }

    @Test("A target that is not there is a failure with AWS's own code, which a test tells as well")
    func missing() async throws {
        try await run { ministack, notifier, config, name in
            let topic = "sns:arn:aws:sns:\(Ministack.region):\(Ministack.account):\(name)"
            let failure = try await send(1, to: topic, notifier, config).failure
            #expect(failure?.attempts == 1 && failure?.reason.hasPrefix("NotFound: ") == true)
            #expect(failure?.reason.contains("🦊") == false)
            let queue = "sqs:\(ministack.url)/\(Ministack.account)/\(name)"
            #expect(
                try await send(1, to: queue, notifier, config, id: "q").failure?.reason.hasPrefix("QueueDoesNotExist: ")
                    == true)
            let error = await #expect(throws: DiscfgError.self) {
                try await notifier.testNotification("r", in: config)
            }
            #expect(error?.code == .deliveryFailed && error?.message.contains("NotFound") == true)
        }
    }

    @Test("The largest event there is is taken by every kind of target")
    func largest() async throws {
        try await run { ministack, notifier, config, name in
            let topic = try await ministack.createTopic(name)
            let queue = try await ministack.createQueue(name)
            _ = try await ministack.createBus(name)
            for (id, target) in [("a", "sns:\(topic)"), ("b", "sqs:\(queue)"), ("c", "eventbridge:\(name)")] {
                let rule = try NotificationRule(id: id, to: NotificationTarget(target), withValues: true)
                _ = try await notifier.addNotification(rule, to: config)
            }
            let value = Value(String(repeating: "x", count: NotificationMessage.maximumLength - 500))
            let set = Operation.set(try Key(path: "/key"), value)
            _ = try await notifier.service.commit(Transaction(then: [set]), to: config)
            _ = try await notifier.deliver(in: config)
            #expect(try await notifier.notifications(of: config).compactMap(\.failure) == [])
            let message = try #require(try await ministack.messages(in: queue, waiting: 9).first)
            #expect(message.utf8.count > NotificationMessage.maximumLength - 500 && !message.contains("valuesOmitted"))
        }
    }
}
