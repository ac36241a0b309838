import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgNotifications

@Suite("Rules by patch, and their secrets")
struct RuleSettingsTests {
    private static let hook = "https://hooks.example/in?token=TOKEN"

    private func patch(_ bench: Bench, _ text: String) async throws -> [NotificationRule] {
        let patch = try JSONValue(parsing: Array(#"{"notifications":\#(text)}"#.utf8))
        return try await bench.service.updateConfig(bench.config, patch: patch).settings.notifications
    }

    @Test("A patch adds, changes and removes rules, and leaves the others as they are")
    func patches() async throws {
        let bench = try await Bench()
        let added = try await patch(
            bench, #"{"h":{"to":"\#(Self.hook)","secret":"SECRET12"},"q":{"to":"eventbridge:a"}}"#)
        #expect(added.map(\.id) == ["h", "q"] && added.map(\.after) == [1, 1])
        try await bench.set("/a")
        let changed = try await patch(bench, #"{"h":{"prefix":"/p","withValues":true},"n":{"to":"eventbridge:b"}}"#)
        try #require(changed.map(\.id) == ["h", "n", "q"] && changed.map(\.after) == [1, 2, 1])
        #expect(changed[0].prefix == "/p" && changed[0].withValues && changed[0].secret == "SECRET12")
        #expect("\(changed[0].target)" == Self.hook)
        #expect(try await patch(bench, #"{"q":null,"h":{"secret":"another1"}}"#).map(\.secret) == ["another1", nil])
        _ = try await bench.service.updateConfig(bench.config, patch: ["retention": ["revisions": 5]])
        #expect(try await patch(bench, "{}").count == 2)
        #expect(try await patch(bench, "null").isEmpty)
    }

    @Test("A rule cannot begin after a revision that is not there yet: it would be silent until then")
    func fromTheFuture() async throws {
        let bench = try await Bench()
        try await bench.set("/a")
        let error = try await failure(.invalidRequest) {
            try await patch(bench, #"{"q":{"to":"eventbridge:a","after":3}}"#)
        }
        #expect(error.message.contains("revision 3"))
        #expect(try await patch(bench, #"{"q":{"to":"eventbridge:a","after":2}}"#).map(\.after) == [2])
    }

    @Test("A webhook without a secret is refused by a patch and with a new config, and nothing is changed")
    func withoutSecret() async throws {
        let bench = try await Bench()
        _ = try await patch(bench, #"{"q":{"to":"eventbridge:a"},"h":{"to":"\#(Self.hook)","secret":"SECRET12"}}"#)
        for text in [#"{"x":{"to":"\#(Self.hook)"}}"#, #"{"h":{"secret":null}}"#, #"{"q":{"to":"\#(Self.hook)"}}"#] {
            let error = try await failure(.invalidRequest) { try await patch(bench, text) }
            #expect(error.message.hasSuffix("is a webhook without a secret.") && !"\(error)".contains("TOKEN"))
        }
        #expect(try await patch(bench, "{}").map(\.id) == ["h", "q"])
        let rule = try NotificationRule(to: NotificationTarget(Self.hook))
        let settings = ConfigSettings(notifications: [rule])
        _ = try await failure(.invalidRequest) {
            try await bench.service.createConfig(ConfigName("new"), settings: settings, author: "")
        }
        _ = try await failure(.invalidRequest) { try await patch(bench, #"{"h":{"to":"eventbridge:b"}}"#) }
    }

    @Test("Settings that are sent back as they are shown keep a webhook's hidden query")
    func sentBack() async throws {
        let bench = try await Bench()
        _ = try await patch(bench, #"{"h":{"to":"\#(Self.hook)","secret":"SECRET12"}}"#)
        let shown = try await bench.service.info(of: bench.config).settings.publicJSON
        let info = try await bench.service.updateConfig(
            bench.config, patch: shown.merging(["retention": ["revisions": 5]]))
        #expect(
            info.settings.notifications.map { "\($0.target)" } == [Self.hook] && info.settings.retention.revisions == 5)
        #expect(info.settings.notifications.map(\.secret) == ["SECRET12"])

        for text in [
            #"{"h":{"to":"https://other.example/in?..."}}"#,
            #"{"n":{"to":"https://hooks.example/in?...","secret":"SECRET12"}}"#,
        ] {
            let error = try await failure(.invalidRequest) { try await patch(bench, text) }
            #expect(error.message.contains("hidden query"))
        }
        let settings = try ConfigSettings(json: shown.merging(["notifications": ["h": ["secret": "SECRET12"]]]))
        _ = try await failure(.invalidRequest) {
            try await bench.service.createConfig(ConfigName("new"), settings: settings, author: "")
        }
        #expect(try await patch(bench, "{}").map { "\($0.target)" } == [Self.hook])
    }

    @Test("A secret is shown by nothing that describes a rule, its settings or its config")
    func shown() async throws {
        let bench = try await Bench()
        _ = try await patch(bench, #"{"h":{"to":"\#(Self.hook)","secret":"SECRET12"}}"#)
        let info = try await bench.service.info(of: bench.config)
        let rule = try #require(info.settings.notifications.first)
        #expect(rule.secret == "SECRET12", "it is there")
        var texts: [String] = []
        for thing: any Sendable in [rule, info.settings, info, [rule], try await bench.status("h")] {
            var dumped = ""
            dump(thing, to: &dumped)
            texts += [
                dumped, String(describing: thing), String(reflecting: thing),
                "\(Mirror(reflecting: thing).children.map { $0 })",
            ]
        }
        #expect(texts.allSatisfy { !$0.contains("SECRET") })
        #expect(String(describing: rule) == "NotificationRule(h)" && String(reflecting: rule) == "NotificationRule(h)")
        #expect(texts.count { $0.contains("TOKEN") } <= 0, "an address can be a secret of its own")

        let json = String(decoding: JSONWriter.bytes { info.write(to: &$0) }, as: UTF8.self)
        #expect(json.contains(#""h":{"to":"https://hooks.example/in?...""#) && !json.contains("SECRET"))
        #expect(!json.contains("TOKEN"))
        let status = try await bench.status("h")
        let written = JSONWriter.bytes { status.write(to: &$0) }
        #expect(!String(decoding: written, as: UTF8.self).contains("SECRET"))
        // Without the query of the address, which is not shown.
        let read = try NotificationStatus(wire: JSONValue(parsing: written))
        #expect(JSONWriter.bytes { read.write(to: &$0) } == written)
    }
}
