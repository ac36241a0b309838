import DiscfgModel
import Testing

@Suite("Model")
struct ModelTests {
    @Test(
        "A path becomes a key with a leading slash",
        arguments: [("db/host", "/db/host"), ("/db/host", "/db/host"), ("é", "/é")])
    func path(path: String, key: String) throws {
        #expect(try Key(path: path).description == key)
    }

    @Test("What is no path is refused", arguments: ["", "/", "/a/", "a//b", "//", String(repeating: "x", count: 1024)])
    func badPath(path: String) {
        let error = #expect(throws: DiscfgError.self) { try Key(path: path) }
        #expect(error?.code == .invalidName)
    }

    @Test("A key has 1 to 1024 bytes")
    func keyLength() throws {
        #expect(try Key(bytes: [0xFF]).bytes == [0xFF])
        #expect(try Key(bytes: [UInt8](repeating: 1, count: 1024)).bytes.count == 1024)
        #expect(throws: DiscfgError.self) { try Key(bytes: []) }
        #expect(throws: DiscfgError.self) { try Key(bytes: [UInt8](repeating: 1, count: 1025)) }
    }

    @Test("Keys are compared bytewise")
    func keyOrder() throws {
        let keys = try ["/a", "/a-b", "/a/b", "/a0", "/é"].map { try Key(path: $0) }
        #expect(keys.shuffled().sorted() == keys)
    }

    @Test(
        "Names of configs are checked",
        arguments: ["", "-a", ".a", "a b", "é", "a/b", String(repeating: "a", count: 65)])
    func badName(name: String) {
        let error = #expect(throws: DiscfgError.self) { try ConfigName(name) }
        #expect(error?.code == .invalidName)
    }

    @Test("A subtree is a key and what is below it, not its neighbours")
    func subtree() throws {
        let selection = try KeySelection.subtree("/db")
        let inside = try ["/db", "/db/a", "/db/a/b"].map { try Key(path: $0) }
        let outside = try ["/da", "/db-x", "/db0", "/dbx", "/" + "d"].map { try Key(path: $0) }
        #expect(inside.allSatisfy { selection.contains($0) })
        #expect(outside.allSatisfy { !selection.contains($0) })
        let below = try KeySelection.subtree("/db/")
        #expect(!below.contains(inside[0]) && below.contains(inside[1]))
        #expect(try KeySelection.subtree("/") == .all)
        #expect(KeySelection.key(inside[0]).onlyKey == inside[0])
        #expect(selection.onlyKey == nil && below.onlyKey == nil && KeySelection.all.onlyKey == nil)
    }

    @Test("The end of a prefix is the least key beyond it")
    func prefixEnd() throws {
        let range = KeyRange.prefix([0x61, 0xFF])
        #expect(range.upper == [0x62])
        #expect(KeyRange.prefix([0xFF, 0xFF]).upper == nil)
        let (inside, outside) = (try Key(bytes: [0x61, 0xFF, 0xFF]), try Key(bytes: [0x62]))
        #expect(range.contains(inside) && !range.contains(outside))
    }

    @Test(
        "Timestamps are RFC 3339, both ways",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_123, "2000-02-29T00:00:00.123Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (1_798_761_599_999, "2026-12-31T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func timestamp(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test("A time without a fraction, and one with more digits, are read; other texts are not")
    func looseTimestamp() {
        #expect(Timestamp("2026-01-31T08:15:00Z")?.description == "2026-01-31T08:15:00.000Z")
        #expect(Timestamp("2026-01-31T08:15:00.5Z")?.description == "2026-01-31T08:15:00.500Z")
        #expect(Timestamp("2026-01-31T08:15:00.123456Z")?.description == "2026-01-31T08:15:00.123Z")
        for text in [
            "", "Z", "2026-01-31", "2026-13-31T08:15:00Z", "2026-01-31T08:15:00+01:00", "x-01-31T08:15:00Z",
            "9223372036854775807-03-01T00:00:00Z",
        ] {
            #expect(Timestamp(text) == nil, "\(text)")
        }
    }

    @Test("Time saturates instead of overflowing")
    func saturation() {
        let end = Timestamp(milliseconds: .max)
        #expect(end + .seconds(1) == end)
        #expect(Timestamp(milliseconds: .min) - .seconds(1) == Timestamp(milliseconds: .min))
        #expect(Duration.seconds(Int64.max).milliseconds == .max)
    }

    @Test(
        "Durations are read as people write them",
        arguments: [
            ("30", 30_000), ("250ms", 250), ("30s", 30_000), ("15m", 900_000), ("1h30m", 5_400_000),
            ("2w", 1_209_600_000),
        ]
            as [(String, Int64)])
    func duration(text: String, milliseconds: Int64) throws {
        #expect(try DurationText.parse(text).milliseconds == milliseconds)
    }

    @Test(
        "Other texts are no durations",
        arguments: ["", "s", "-1s", "1y", "1.5h", "1h30", "9999999999999999999s", "200000w", "٣s"])
    func badDuration(text: String) {
        #expect(throws: DiscfgError.self) { try DurationText.parse(text) }
    }

    @Test(
        "Durations are written in at most two units",
        arguments: [(0, "0s"), (250, "250ms"), (5_400_000, "1h30m"), (7_776_000_000, "90d")] as [(Int64, String)])
    func durationText(milliseconds: Int64, text: String) {
        #expect(DurationText.format(.milliseconds(milliseconds)) == text)
    }

    @Test("Settings are read and written, and what is unknown is named")
    func settings() throws {
        let settings = try ConfigSettings(json: JSONValue(parsing: #"{"retention":{"age":"7d","revisions":5}}"#))
        #expect(settings.retention == .init(age: .seconds(7 * 86_400), revisions: 5))
        #expect(try ConfigSettings(json: settings.json) == settings)
        let asked = try ConfigSettings(json: JSONValue(parsing: #"{"ReadCapacityUnits":4,"Color":"x"}"#))
        #expect(asked.store == ["ReadCapacityUnits": .integer(4), "Color": .string("x")], "the engine reads them")
        #expect(try ConfigSettings(json: asked.json) == asked)
        for text in [#"{"retentoin":{}}"#, #"{"retention":{"age":true}}"#, #"{"retention":{"revisions":0}}"#, "[]"] {
            #expect(throws: DiscfgError.self, "\(text)") { try ConfigSettings(json: JSONValue(parsing: text)) }
        }
    }

    @Test("A value is checked before it is stored")
    func valueCheck() throws {
        try Value(bytes: [UInt8](repeating: 0, count: Value.maximumLength), contentType: Value.octets).validate()
        let tooLong = Value(bytes: [UInt8](repeating: 0, count: Value.maximumLength + 1), contentType: Value.octets)
        #expect(#expect(throws: DiscfgError.self) { try tooLong.validate() }?.code == .tooLarge)
        for type in ["", "text", "text/\u{7}", String(repeating: "a/", count: 200)] {
            #expect(throws: DiscfgError.self) { try Value(bytes: [], contentType: type).validate() }
        }
        #expect(throws: DiscfgError.self) {
            try Value(bytes: Array("{".utf8), contentType: "application/vnd.x+json").validate()
        }
    }
}
