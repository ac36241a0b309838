import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgNotifications

@Suite("Rules, from their making to their end")
struct RuleLifeTests {
    private static let webhook = "https://hooks.example/in?token=PATH"

    @Test("A rule is returned with its secret once, and never shown with it again")
    func secret() async throws {
        let bench = try await Bench()
        let rule = try NotificationRule(id: "hook", to: NotificationTarget(Self.webhook))
        let kept = try await bench.notifier.addNotification(rule, to: bench.config)
        let secret = try #require(kept.secret)
        #expect(secret.hasPrefix("whsec_") && secret.utf8.count == 38 && kept.after == 1)
        #expect(WebhookSecret.generate() != WebhookSecret.generate())
        #expect(try await bench.status("hook").rule.secret == nil)
        try await bench.set("/a")
        try await bench.deliver()
        #expect(bench.sender.taken.first?.rule.secret == secret)

        let own = try NotificationRule(id: "own", to: NotificationTarget(Self.webhook), secret: "my own secret")
        #expect(try await bench.notifier.addNotification(own, to: bench.config).secret == "my own secret")
    }

    @Test("A name that is taken, a rule too many, and one that the sender could never carry out are refused")
    func refused() async throws {
        let bench = try await Bench()
        try await bench.add()
        let taken = try await failure(.invalidRequest) { try await bench.add() }
        #expect(taken.message == "Config “shop” already has a notification “r”.")
        let forbidden = try NotificationRule(to: NotificationTarget("https://forbidden.example"))
        _ = try await failure(.forbidden) { try await bench.notifier.addNotification(forbidden, to: bench.config) }
        for number in 2...20 { try await bench.add("r\(number)") }
        let many = try await failure(.invalidRequest) { try await bench.add("r21") }
        #expect(many.message.contains("20 notifications"))
        _ = try await failure(.configNotFound) {
            try await bench.notifier.addNotification(forbidden.to(Bench.queue), to: ConfigName("none"))
        }
    }

    @Test("A rule that is removed and made again by the same name begins anew")
    func again() async throws {
        let bench = try await Bench(sender: RecordingSender { _ in .refuse() }, options: { $0.maximumAttempts = 1 })
        try await bench.add()
        try await bench.set("/a")
        try await bench.deliver()
        #expect(try await bench.status().deadLetters.count == 1)
        try await bench.notifier.removeNotification("r", from: bench.config)
        #expect(try await bench.notifier.notifications(of: bench.config).isEmpty)
        #expect(try await bench.engine.cells(of: bench.config, prefix: "", after: nil, limit: 9).isEmpty)
        bench.sender.answers { _ in .take }
        try await bench.set("/b")
        try await bench.add()
        try await bench.set("/c")
        try await bench.deliver()
        #expect(bench.sender.revisions() == [4])
        try await bench.notifier.removeNotification("r", from: bench.config)
        try await bench.add(after: 1)
        try await bench.deliver()
        #expect(bench.sender.revisions() == [4, 2, 3, 4])
    }

    @Test("One that was removed by a patch leaves nothing to another of its name")
    func patchedAway() async throws {
        let bench = try await Bench(sender: RecordingSender { _ in .refuse() }, options: { $0.maximumAttempts = 1 })
        try await bench.add()
        try await bench.set("/a")
        try await bench.deliver()
        _ = try await bench.service.updateConfig(
            bench.config, patch: .object(JSONObject([("notifications", .object(JSONObject([("r", .null)])))])))
        try await bench.add()
        #expect(try await bench.status().deadLetters.isEmpty)
        #expect(try await bench.status().sent == 2)
        #expect(try await bench.notifier.replayNotifications("r", in: bench.config).failed == 0)
        try await bench.notifier.removeNotification("r", from: bench.config)
        #expect(try await bench.engine.cells(of: bench.config, prefix: "", after: nil, limit: 9).isEmpty)
    }

    @Test("A rule that is removed while it sends ends, and sends nothing again")
    func removedMeanwhile() async throws {
        let bench = try await Bench(options: { $0.unsavedLimit = 2 })
        try await bench.add()
        for number in 0..<30 { try await bench.set("/\(number)") }
        bench.sender.whileSending { attempt in
            if attempt.revision == 4 { try await bench.notifier.removeNotification("r", from: bench.config) }
        }
        #expect(try await bench.deliver().next == nil)
        #expect(bench.sender.revisions().starts(with: [2, 3, 4]) && bench.sender.revisions().count < 10)
        #expect(bench.sender.revisions() == bench.sender.revisions().sorted())
        #expect(try await bench.engine.cells(of: bench.config, prefix: "", after: nil, limit: 9).isEmpty)
    }

    @Test("A rule that is made anew while the old one sends is not disturbed by it")
    func replacedMeanwhile() async throws {
        let bench = try await Bench(options: { $0.unsavedLimit = 2 })
        try await bench.add()
        for number in 0..<30 { try await bench.set("/\(number)") }
        bench.sender.whileSending { attempt in
            guard attempt.revision == 4, attempt.rule.after == 1 else { return }
            try await bench.notifier.removeNotification("r", from: bench.config)
            try await bench.add(after: 25)
            _ = try await bench.another().deliver(in: bench.config)
        }
        try await bench.deliver()
        try await bench.deliver()
        #expect(bench.sender.taken.filter { $0.rule.after == 25 }.map(\.revision) == [26, 27, 28, 29, 30, 31])
        #expect(bench.sender.taken.filter { $0.rule.after == 1 }.count < 10)
        #expect(try await bench.status().sent == 31)
    }

    @Test("A test is sent at once and once, and a refusal is told with its reason")
    func test() async throws {
        let bench = try await Bench()
        try await bench.add()
        try await bench.notifier.testNotification("r", in: bench.config)
        let sent = try #require(bench.sender.taken.first)
        #expect(bench.sender.attempts.count == 1 && sent.message.kind == .test)
        #expect(sent.json?["type"] == "dev.discfg.test" && sent.json?["data"]?["revision"] == 1)
        #expect(sent.json?["id"]?.string == sent.message.id)
        bench.sender.answers { _ in .refuse("The queue is on fire.") }
        let error = try await failure(.deliveryFailed) {
            try await bench.notifier.testNotification("r", in: bench.config)
        }
        #expect(error.message == "The test of “r” failed: The queue is on fire.")
        #expect(try await bench.status().failure == nil && bench.sender.attempts.count == 2)
    }

    @Test("What concerns a rule that is not there is refused by its name")
    func missing() async throws {
        let bench = try await Bench()
        let (notifier, config) = (bench.notifier, bench.config)
        for error in [
            try await failure(.notificationNotFound) { try await notifier.removeNotification("x", from: config) },
            try await failure(.notificationNotFound) { try await notifier.testNotification("x", in: config) },
            try await failure(.notificationNotFound) { try await notifier.replayNotifications("x", in: config) },
        ] { #expect(error.message == "There is no notification “x” in config “shop”.") }
    }
}

extension NotificationRule {
    fileprivate func to(_ target: String) throws -> NotificationRule {
        try NotificationRule(id: id, to: NotificationTarget(target))
    }
}
