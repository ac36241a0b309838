import DiscfgCore
import Testing

@testable import DiscfgNotifications

@Suite("Events")
struct CloudEventTests {
    private static let config = ConfigName.default

    private func rule(_ id: String = "r", withValues: Bool = false) throws -> NotificationRule {
        try NotificationRule(id: id, to: NotificationTarget(Bench.queue), withValues: withValues)
    }

    private func item(_ key: Key, _ value: Value, version: Int64 = 1) -> Item {
        Item(
            key: key, value: value, version: version, created: 1, modified: 7, modifiedAt: Timestamp(milliseconds: 0))
    }

    private func commit(_ changes: [Change], author: String = "ann", message: String = "why") -> Commit {
        Commit(
            id: "0123456789abcdef0123456789abcdef", revision: 7, time: Timestamp(milliseconds: 1_767_225_600_250),
            author: author, message: message, changes: changes)
    }

    @Test("This is an event, byte by byte")
    func exact() throws {
        let (a, b) = (try Key(path: "/a \"ü\""), try Key(bytes: [0xFF, 0x41]))
        let changes: [Change] = [
            .set(item(a, Value("v2"), version: 2), previous: item(a, Value("v1"))),
            .removed(item(b, Value("old"), version: 3), kind: .expire),
        ]
        let message = try CloudEvent.message(of: commit(changes), in: Self.config, by: rule(withValues: true))
        #expect(
            String(decoding: message.body, as: UTF8.self) == """
                {"specversion":"1.0","id":"0123456789abcdef0123456789abcdef-r","source":"/discfg/default",\
                "type":"dev.discfg.commit","time":"2026-01-01T00:00:00.250Z","datacontenttype":"application/json",\
                "data":{"config":"default","revision":7,"author":"ann","message":"why","changes":[\
                {"key":"/a \\"ü\\"","kind":"set","version":2,"previousVersion":1,"value":"v2","contentType":"text/plain"},\
                {"key":"/0E=","keyEncoding":"base64","name":"bytes://%FFA","kind":"expire","previousVersion":3}]}}
                """)
        #expect(message.id == "0123456789abcdef0123456789abcdef-r" && message.kind == .commit)
        #expect(message.revision == 7 && message.config == Self.config)
    }

    @Test("Only an event about one key has a subject, and only where the key is text")
    func subject() throws {
        let (a, b, odd) = (try Key(path: "/a"), try Key(path: "/b"), try Key(bytes: [0xFF]))
        func subject(_ keys: Key...) throws -> JSONValue? {
            let changes = keys.map { Change.set(item($0, Value("v")), previous: nil) }
            return try JSONValue(parsing: CloudEvent.message(of: commit(changes), in: Self.config, by: rule()).body)[
                "subject"]
        }
        #expect(try subject(a) == "/a" && subject(a, b) == nil && subject(odd) == nil && subject() == nil)
    }

    @Test("Two rules make two events of a commit, each always the same; no id has a dot, where signatures divide")
    func identity() throws {
        let commit = commit([.set(item(try Key(path: "/a"), Value("v")), previous: nil)])
        func message(_ id: String) throws -> NotificationMessage {
            CloudEvent.message(of: commit, in: Self.config, by: try rule(id))
        }
        #expect(try message("a.b").id == "\(commit.id)-a~b")
        #expect(try message("a").id != message("b").id && message("a").body == message("a").body)
    }

    @Test("Values that are too large are left out, all of them, and the event says so")
    func tooLarge() throws {
        let (a, b) = (try Key(path: "/a"), try Key(path: "/b"))
        func event(_ size: Int) throws -> NotificationMessage {
            let changes = [a, b].map { Change.set(item($0, Value(String(repeating: "x", count: size))), previous: nil) }
            return try CloudEvent.message(of: commit(changes), in: Self.config, by: rule(withValues: true))
        }
        let half = NotificationMessage.maximumLength / 2
        let whole = try JSONValue(parsing: event(half - 400).body)["data"]
        #expect(whole?["valuesOmitted"] == nil && whole?["changes"]?.array?.last?["value"] != nil)
        let cut = try event(half)
        let data = try JSONValue(parsing: cut.body)["data"]
        #expect(data?["valuesOmitted"] == true && data?["changesOmitted"] == nil)
        #expect(
            data?["changes"] == [
                ["key": "/a", "kind": "set", "version": 1], ["key": "/b", "kind": "set", "version": 1],
            ])
        #expect(try event(Value.maximumLength).body.count == cut.body.count)
    }

    /// Bytes of which a key, an author and a message are made.
    enum Filling: UInt8, CaseIterable, Sendable { case letter = 0x61, control = 0x01, quote = 0x22, notUTF8 = 0xFF }

    @Test(
        "Of thousands of keys as many are told as there is room for, however long they get, and how many are not",
        arguments: Filling.allCases, [1000, 1020, 1024])
    func manyKeys(filling: Filling, length: Int) throws {
        let changes = try (0..<3000).map { number in
            let digits = Array("\(10_000 + number)".utf8)
            let key = try Key(bytes: digits + [UInt8](repeating: filling.rawValue, count: length - digits.count))
            return Change.set(item(key, Value("SECRET"), version: .max), previous: item(key, Value("v"), version: .max))
        }
        let scalar = filling == .notUTF8 ? "\u{FFFF}" : String(Unicode.Scalar(filling.rawValue))
        let text = String(repeating: scalar, count: 85)
        let commit = commit(changes, author: text, message: String(repeating: text, count: 12))
        for withValues in [false, true] {
            let message = try CloudEvent.message(of: commit, in: Self.config, by: rule(withValues: withValues))
            #expect(message.body.count <= NotificationMessage.maximumLength)
            #expect(message.body.count > NotificationMessage.maximumLength - 16_384, "the room is used")
            let data = try JSONValue(parsing: message.body)["data"]
            let told = try #require(data?["changes"]?.array?.count)
            #expect(told > 20 && data?["changesOmitted"]?.integer == Int64(3000 - told))
            #expect((data?["valuesOmitted"] == true) == withValues)
            #expect(!String(decoding: message.body, as: UTF8.self).contains("SECRET"))
        }
    }

    @Test("With every size just about the limit the event stays within it")
    func edge() throws {
        for count in 35...45 {
            let changes = try (0..<count).map { number in
                let key = try Key(bytes: [UInt8](repeating: 1, count: 1000) + Array("\(100 + number)".utf8))
                return Change.set(item(key, Value("v")), previous: nil)
            }
            let body = try CloudEvent.message(of: commit(changes), in: Self.config, by: rule()).body
            #expect(body.count <= NotificationMessage.maximumLength && (try? JSONValue(parsing: body)) != nil)
        }
    }
}
