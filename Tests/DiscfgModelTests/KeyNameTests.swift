import DiscfgTestSupport
import Testing

@testable import DiscfgModel

/// The one notation for keys: every key has a name, and every name one key.
@Suite("Names of keys")
struct KeyNameTests {
    static let seed: UInt64 = 20_261

    /// Keys of few different bytes, so that slashes, escapes and the words of the notation meet in every way.
    static func key(using generator: inout SeededGenerator) throws -> Key {
        let parts: [[UInt8]] = [
            Array("/".utf8), Array("a".utf8), Array("é".utf8), Array("bare:".utf8), Array("bytes:".utf8),
            Array("%2F".utf8), Array("\u{301}".utf8), [0xFF], [0], [0x0A], [0x1B], Array(" ".utf8), Array("~".utf8),
        ]
        let count = Int.random(in: 1...6, using: &generator)
        return try Key(bytes: (0..<count).flatMap { _ in parts.randomElement(using: &generator) ?? [] })
    }

    @Test("Each key has a name and an escaped name, which are those of no other key")
    func roundTrip() throws {
        print("names of keys: seed \(Self.seed)")
        var generator = SeededGenerator(seed: Self.seed)
        var names: [String: Key] = [:]
        for _ in 0..<20_000 {
            let key = try Self.key(using: &generator)
            #expect(try Key(path: key.name) == key, "\(key.bytes)")
            #expect(try Key(path: key.escapedName) == key, "\(key.bytes)")
            #expect(key.escapedName.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"'\"$&;|<>*?".utf8.contains($0) })
            #expect(names.updateValue(key, forKey: key.name).map { $0 == key } ?? true, "\(key.name)")
            if let text = key.text, (try? Key(path: text)) == key { #expect(key.name == text) }
        }
    }

    @Test(
        "A key has the name that the documentation says",
        arguments: [
            ("/db/host", "/db/host"), ("app/name", "bare:app/name"), ("bare:x", "bare:bare:x"),
            ("/bare:x", "/bare:x"), ("/bytes:/x", "/bytes:/x"), ("/a/", "bytes:///a%2F"), ("app/", "bytes://app%2F"),
            ("/a//b", "bytes:///a/%2Fb"), ("/", "bytes://%2F"), ("//", "bytes:///%2F"), ("/a\tb", "/a\tb"),
            ("100%", "bare:100%"), ("bytes://x", "bytes://bytes%3A/%2Fx"),
        ])
    func names(text: String, name: String) throws {
        let key = try Key(bytes: text.utf8)
        #expect(key.name == name && key.description == name)
        #expect(try Key(path: name) == key)
    }

    @Test("Bytes that are not UTF-8 are encoded, and any key may be written so")
    func encoded() throws {
        #expect(try Key(bytes: [0xFF, 0, 0x61]).name == "bytes://%FF%00a")
        #expect(try Key(path: "bytes:///db/host") == Key(path: "/db/host"))
        #expect(try Key(path: "bytes://%2fdb%2Fhost") == Key(path: "/db/host"))
        #expect(try Key(bytes: "/a\u{1b}b".utf8).escapedName == "bytes:///a%1Bb")
    }

    @Test("A combining mark behind “bare:” is part of the key")
    func combining() throws {
        #expect(try Key(path: "bare:\u{301}a").bytes == Array("\u{301}a".utf8))
    }

    @Test(
        "A name that is a directory, has an empty segment or is badly encoded is refused",
        arguments: [
            "bare:", "bare:/a", "bare:a/", "bare:a//b", "bare://a", "bytes://", "bytes:///", "bytes://a/",
            "bytes://a//b", "bytes://%", "bytes://%4", "bytes://%zz", "bytes:/",
            "bytes:///" + String(repeating: "x", count: 1024),
        ])
    func refused(name: String) {
        let error = #expect(throws: DiscfgError.self, "\(name)") { try Key(path: name) }
        #expect(error?.code == .invalidName)
    }

    @Test(
        "The hint about a refused key has the name that the key has",
        arguments: [
            ("a/", "bytes:///a%2F"), ("bare:a/", "bytes://a%2F"), ("bytes://a/", "bytes://a%2F"),
            ("/a//b", "bytes:///a/%2Fb"), ("bytes://%FF//b", "bytes://%FF/%2Fb"),
        ])
    func hints(text: String, name: String) throws {
        let error = #expect(throws: DiscfgError.self) { try Key(path: text) }
        #expect(error?.hint?.contains("“\(name)”") == true)
        #expect(throws: Never.self) { try Key(path: name) }
    }

    @Test("A word of the notation inside a path is part of it")
    func words() throws {
        for path in ["bytes:x", "a/bare:b", "bytes:/x"] { #expect(try Key(path: path).name == "/\(path)") }
    }

    @Test("The selection of each key's subtree and directory is that of its name")
    func selections() throws {
        var generator = SeededGenerator(seed: Self.seed)
        for _ in 0..<2000 {
            let key = try Self.key(using: &generator)
            let subtree = try KeySelection.subtree(key.name)
            #expect(subtree.ranges == [.key(key), .prefix(key.bytes + [0x2F])] && subtree.exactPath == key.name)
            let below = try KeySelection.below(key.name + "/")
            #expect(below.ranges == [.prefix(key.bytes + [0x2F])] && below.exactPath == key.name + "/")
            #expect(try KeySelection.below(key.name) == below)
            #expect(KeySelection.key(key).exactPath == nil && KeySelection.key(key).path == key.name)
        }
    }

    @Test("“bare:” selects the keys that do not begin with “/”, and “/” selects all")
    func bareDirectory() throws {
        let selection = try KeySelection.subtree("bare:")
        #expect(selection.exactPath == "bare:" && selection == .bare)
        let bare = try [[0], Array("a".utf8), Array("0".utf8), Array(".".utf8), [0xFF, 0xFF]].map { try Key(bytes: $0) }
        let others = try ["/", "/a", "//", "/\u{ff}"].map { try Key(bytes: $0.utf8) }
        #expect(bare.allSatisfy { selection.contains($0) } && !others.contains { selection.contains($0) })
        #expect((bare + others).allSatisfy { KeySelection.all.contains($0) } && KeySelection.all.exactPath == "/")
    }

    @Test("A range that no name selects has no exact path")
    func ranges() {
        for range in [
            KeyRange(from: Array("/a".utf8), to: Array("/c".utf8)), KeyRange(from: Array("/a/".utf8), to: nil),
            KeyRange(from: [], to: [0x2F]), .prefix(Array("/a".utf8)),
        ] {
            #expect(KeySelection.range(range).exactPath == nil)
            #expect(!KeySelection.range(range).path.isEmpty)
        }
        #expect(KeySelection.range(.prefix(Array("/a/".utf8))).exactPath == "/a/")
        #expect(KeySelection.range(.all).exactPath == "/")
    }
}
