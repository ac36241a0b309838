import DiscfgCore
import DiscfgTestSupport
import Testing

@Suite("Rules as settings")
struct RuleTests {
    private func invalid<Result>(_ body: () throws(DiscfgError) -> Result) -> DiscfgError? {
        do throws(DiscfgError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Every form of a target is read, and written as it was",
        arguments: [
            ("sns:arn:aws:sns:eu-west-1:123456789012:changes", "sns"),
            ("sns:arn:aws-us-gov:sns:us-gov-west-1:123456789012:changes.fifo", "sns"),
            ("sqs:https://sqs.eu-west-1.amazonaws.com/123456789012/changes", "sqs"),
            ("sqs:http://127.0.0.1:4566/000000000000/q.fifo", "sqs"), ("eventbridge:default", "eventbridge"),
            ("eventbridge:a/b.c_d-e", "eventbridge"),
            ("eventbridge:arn:aws:events:eu-west-1:123456789012:event-bus/b", "eventbridge"),
            ("https://hooks.example/in?token=1", "webhook"), ("https://hooks.example:8443", "webhook"),
            ("http://[::1]:8080/", "webhook"),
        ])
    func targets(text: String, kind: String) throws {
        let target = try NotificationTarget(text)
        #expect("\(target)" == text && target.kind == kind)
    }

    @Test(
        "What is no target is refused",
        arguments: [
            "", "sns:", "sns:changes", "sns:arn:aws:sqs:eu-west-1:123456789012:q", "sns:arn:aws:sns::123456789012:t",
            "sns:arn:aws:sns:eu-west-1:12345:t", "sns:arn:aws:sns:eu-west-1:123456789012:", "sqs:", "sqs:changes",
            "sqs:arn:aws:sqs:eu-west-1:123456789012:q", "sqs:https:///q", "sqs:ftp://host/q", "eventbridge:",
            "eventbridge:a b", "eventbridge:ü", "eventbridge:arn:aws:sns:eu-west-1:123456789012:t", "https://",
            "https:///path", "https://a b/", "https://hooks.example/#part", "https://ü.example/", "ftp://host/",
            "HTTPS://host/", "mailto:me@example.org", "https", "kafka:topic", "https://h/\n", "http:/host",
        ])
    func noTargets(text: String) {
        let error = invalid { () throws(DiscfgError) in try NotificationTarget(text) }
        #expect(error?.code == .invalidRequest && error?.hint?.isEmpty == false)
    }

    @Test("A target that may have a password in it is refused without showing it")
    func password() {
        for text in ["https://user:SECRET@host/", "sqs:https://user:SECRET@host/q", "https://SECRET@"] {
            let error = invalid { () throws(DiscfgError) in try NotificationTarget(text) }
            #expect(error?.code == .invalidRequest && error?.description.contains("SECRET") == false)
        }
        let long = "https://host/\(String(repeating: "a", count: 2036))"
        #expect(invalid { () throws(DiscfgError) in try NotificationTarget(long) }?.message.contains("2048") == true)
    }

    @Test("A rule has a name, a prefix and a secret that can be such")
    func limits() throws {
        let (queue, hook) = (try NotificationTarget("eventbridge:default"), try NotificationTarget("https://h.example"))
        for id in ["", "a b", "a/b", "ü", String(repeating: "a", count: 65)] {
            let error = invalid { () throws(DiscfgError) in try NotificationRule(id: id, to: queue) }
            #expect(error?.message == "“\(id)” cannot name a notification.")
        }
        #expect(try NotificationRule(id: String(repeating: "Z", count: 64), to: queue).id.count == 64)
        let names = try Set((0..<200).map { _ in try NotificationRule(to: hook).id })
        #expect(names.count == 200 && names.allSatisfy { $0.hasPrefix("webhook-") })
        #expect(try NotificationRule(to: queue, prefix: "").prefix == "/")
        #expect(
            invalid { () throws(DiscfgError) in try NotificationRule(to: queue, prefix: "/a//b") }?.code == .invalidName
        )
        for length in [0, 7, 257] {
            let secret = String(repeating: "s", count: length)
            let error = invalid { () throws(DiscfgError) in try NotificationRule(to: hook, secret: secret) }
            #expect(error?.message == "The secret has \(length) bytes.")
        }
        let pointless = invalid { () throws(DiscfgError) in try NotificationRule(to: queue, secret: "12345678") }
        #expect(pointless?.message == "A secret says nothing about eventbridge: AWS signs what it carries.")
    }

    @Test("Settings are read as they are written, in the order of the names")
    func settings() throws {
        let json = try JSONValue(
            parsing: Array(
                """
                {"notifications":{"b":{"to":"https://h.example","prefix":"/p","withValues":true,"secret":"12345678",
                "after":7},"a":{"to":"eventbridge:default"}}}
                """.utf8))
        let settings = try ConfigSettings(json: json)
        #expect(settings.notifications.map(\.id) == ["a", "b"])
        let rule = settings.notifications[1]
        #expect(rule.prefix == "/p" && rule.withValues && rule.secret == "12345678" && rule.after == 7)
        #expect(settings.notifications[0].prefix == "/" && settings.notifications[0].after == nil)
        #expect(try ConfigSettings(json: settings.json) == settings)
    }

    @Test(
        "Whatever is unknown or wrong in settings is named",
        arguments: [
            (#"{"notifications":[]}"#, "“notifications” is not a JSON object."),
            (#"{"notifications":{"x":"sns:…"}}"#, "“notifications.x” is not a JSON object."),
            (#"{"notifications":{"x":{}}}"#, "“notifications.x” names no target."),
            (#"{"notifications":{"x":{"to":7}}}"#, "The setting “notifications.x.to” is not text."),
            (#"{"notifications":{"x":{"target":"a"}}}"#, "There is no setting “notifications.x.target”."),
            (
                #"{"notifications":{"x":{"to":"eventbridge:b","withValues":"yes"}}}"#,
                "The setting “notifications.x.withValues” is not true or false."
            ),
            (
                #"{"notifications":{"x":{"to":"eventbridge:b","after":-1}}}"#,
                "The setting “notifications.x.after” is not a revision from 0."
            ),
            (
                #"{"notifications":{"x":{"to":"https://h","secret":["SECRET"]}}}"#,
                "The setting “notifications.x.secret” is not text."
            ),
            (#"{"notifications":{"x y":{"to":"eventbridge:b"}}}"#, "“x y” cannot name a notification."),
        ])
    func wrong(text: String, message: String) throws {
        let json = try JSONValue(parsing: Array(text.utf8))
        #expect(invalid { () throws(DiscfgError) in try ConfigSettings(json: json) }?.message == message)
    }

    @Test("Twenty rules are the most")
    func tooMany() throws {
        func settings(_ count: Int) -> JSONValue {
            let rules = (0..<count).map { ("r\($0)", ["to": "eventbridge:b"] as JSONValue) }
            return ["notifications": .object(JSONObject(rules))]
        }
        #expect(try ConfigSettings(json: settings(20)).notifications.count == 20)
        let error = invalid { () throws(DiscfgError) in try ConfigSettings(json: settings(21)) }
        #expect(error?.message == "There are 21 notifications; the most is 20.")
    }

    @Test("A rule comes back from its wire form; a client that sends what is unknown is told")
    func wire() throws {
        let rule = try NotificationRule(
            id: "x", to: NotificationTarget("https://h.example"), prefix: "/p", withValues: true, secret: "12345678")
        let json = try JSONValue(parsing: JSONWriter.bytes { rule.write(to: &$0, withSecret: true) })
        #expect(try NotificationRule(wire: json) == rule)
        #expect(try JSONValue(parsing: JSONWriter.bytes { rule.write(to: &$0) })["secret"] == nil)
        #expect(try NotificationRule(wire: ["to": "eventbridge:b"]).id.hasPrefix("eventbridge-"))
        for wrong: JSONValue in ["x", ["id": "x"], ["id": 7, "to": "eventbridge:b"], ["to": "eventbridge:b", "x": 1]] {
            #expect(invalid { () throws(DiscfgError) in try NotificationRule(wire: wrong) }?.code == .invalidRequest)
        }
    }
}
