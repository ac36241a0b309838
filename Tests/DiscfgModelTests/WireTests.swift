import DiscfgModel
import Testing

/// The JSON of REST, the command line and the client: what is written is read back as it was.
@Suite("Wire")
struct WireTests {
    static let now = Timestamp(milliseconds: 1_800_000_000_000)
    static let exact = WireStyle(now: now, isExact: true, withPrevious: true)

    static func item(_ value: Value, expiry: Timestamp? = nil) throws -> Item {
        Item(
            key: try Key(path: "/k"), value: value, version: 2, created: 3, modified: 7, modifiedAt: now, author: "ann",
            expiry: expiry)
    }

    @Test(
        "A value is embedded as what it is",
        arguments: [
            (Value("text"), #""value":"text","contentType":"text/plain""#),
            (Value(["a": 1]), #""value":{"a":1},"contentType":"application/json""#),
            (
                Value(bytes: [0xFF], contentType: Value.octets),
                #""value":"/w==","encoding":"base64","contentType":"application/octet-stream""#
            ),
            (
                Value(bytes: Array("{\n}".utf8), contentType: Value.json),
                #""value":{},"contentType":"application/json""#
            ),
        ])
    func embedded(value: Value, members: String) throws {
        let text = try Self.text { try Self.item(value).write(to: &$0, WireStyle(now: Self.now)) }
        #expect(text.contains(members), "\(text)")
    }

    @Test(
        "An item comes back to the byte when it is written exactly",
        arguments: [
            Value("a\"b\n"), Value(bytes: [0, 255], contentType: "image/png"),
            Value(bytes: Array("{ \"a\" : 1 }".utf8), contentType: Value.json),
        ])
    func exactItem(value: Value) throws {
        let item = try Self.item(value, expiry: Self.now + .seconds(5))
        #expect(try Item(wire: Self.json { item.write(to: &$0, Self.exact) }) == item)
    }

    @Test("A time to live is counted in whole seconds, rounded up, and never below 0")
    func timeToLive() throws {
        for (left, seconds) in [(1, 1), (1000, 1), (1001, 2), (0, 0), (-5000, 0)] as [(Int64, Int64)] {
            let item = try Self.item(Value("x"), expiry: Self.now + .milliseconds(left))
            #expect(try Self.json { item.write(to: &$0, Self.exact) }["ttl"]?.integer == seconds)
        }
    }

    @Test("A commit comes back, but for its identity")
    func commit() throws {
        let (before, after) = (try Self.item(Value("old")), try Self.item(Value("new")))
        var commit = Commit(id: "", revision: 7, time: Self.now, author: "ann", message: "why", changes: [])
        commit.changes = [.set(after, previous: before), .removed(before, kind: .expire), .removed(before)]
        #expect(try Commit(wire: Self.json { commit.write(to: &$0, Self.exact) }) == commit)
    }

    @Test("A transaction comes back as it was written")
    func transaction() throws {
        let key = try Key(path: "/a")
        let transaction = Transaction(
            if: [
                .init(key, .absent), .init(key, .present), .init(key, .version(3)), .init(key, .revision(4)),
                .init(key, .value([1, 2])),
            ],
            then: [
                .set(key, Value(bytes: [0xFF], contentType: "image/png"), expiry: .after(.milliseconds(1500))),
                .set(key, Value("x"), expiry: .unchanged), .set(key, Value("y"), expiry: .at(Self.now)),
                .patch(key, ["a": 1]), .delete(key), .get(key),
                .deleteAll(try .subtree("/dir")), .deleteAll(try .below("/dir")), .deleteAll(.all),
            ],
            else: [.get(key)], author: "ann", message: "why")
        #expect(try Transaction(wire: Self.json { transaction.write(to: &$0) }, author: "ann") == transaction)
    }

    @Test(
        "A transaction that cannot be understood is refused",
        arguments: [
            "[]", #"{"than":[]}"#, #"{"then":[{"set":"/a","delete":"/b"}]}"#, #"{"then":[{}]}"#,
            #"{"then":[{"set":"/a//b"}]}"#,
            #"{"if":[{"key":"/a"}]}"#, #"{"if":[{"key":"/a","version":1,"exists":true}]}"#,
            #"{"if":[{"key":"/a","version":"1"}]}"#,
            #"{"then":[{"set":"/a","value":"?","encoding":"base64"}]}"#,
            #"{"then":[{"set":"/a","value":"","encoding":"hex"}]}"#,
            #"{"then":[{"set":"/a","value":1,"ttl":true}]}"#, #"{"then":{}}"#, #"{"message":1}"#,
        ])
    func badTransaction(text: String) {
        #expect(throws: DiscfgError.self) { try Transaction(wire: JSONValue(parsing: text), author: "") }
    }

    @Test("A string is text and anything else JSON, unless the content type says otherwise")
    func valueTypes() throws {
        let transaction = try Transaction(
            wire: JSONValue(
                parsing:
                    #"{"then":[{"set":"/a","value":"x"},{"set":"/a","value":1},{"set":"/a","value":"x","contentType":"application/json"}]}"#
            ),
            author: "")
        let values = transaction.success.compactMap { if case .set(_, let value, _) = $0 { value } else { nil } }
        #expect(values == [Value("x"), Value(1), Value("x" as JSONValue)])
    }

    @Test("An error carries its code, message, hint and the current item, and never its cause")
    func error() throws {
        struct Secret: Error {}
        let item = try Self.item(Value("x"))
        let error = DiscfgError(.conditionFailed, "M.", hint: "H.", cause: Secret(), current: item)
        let json = try Self.json { error.write(to: &$0, Self.exact) }
        let read = try #require(DiscfgError(wire: json))
        #expect(read.code == .conditionFailed && read.message == "M." && read.hint == "H." && read.current == item)
        #expect(!json.text.contains("Secret"))
    }

    static func text(_ body: (inout JSONWriter) throws -> Void) rethrows -> String {
        var writer = JSONWriter()
        try body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static func json(_ body: (inout JSONWriter) throws -> Void) throws -> JSONValue {
        try JSONValue(parsing: text(body))
    }
}
