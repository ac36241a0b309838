import DiscfgCore
import Testing

@testable import DiscfgFormats

@Suite struct FlatFormatTests {
    @Test("dotenv values are read as python-dotenv and a shell read them")
    func dotenv() async throws {
        let items = try await items(Fixture(name: "app.env").format.leaves(of: Fixture(name: "app.env").bytes))
        let expected = [
            "LOCAL_DOMAIN": "example.com", "DB_HOST": "/var/run/postgresql", "DB_PASS": "", "DB_PORT": "5432",
            "EMPTY": "",
            "lower_case": "kept", "HASH": "a#b", "GREETING": "Hello, $USER", "QUOTED": "say \"hi\"\n\tand \\ go",
            "APOSTROPHE": "it's $5", "PEM": "-----BEGIN KEY-----\nMIIE+/=\n-----END KEY-----\n", "SPACES": "  kept  ",
            "UNICODE": "grüße",
        ]
        #expect(items.count == expected.count)
        for (name, text) in expected { #expect(items[try key("/" + name)] == Value(text)) }
    }

    @Test("properties are read as java.util.Properties reads them")
    func properties() async throws {
        let items = try await items(ConfigFormat.properties.leaves(of: Fixture(name: "server.properties").bytes))
        let expected = [
            "/package.access": "sun.,org.example.,org.example.other.", "/shared.loader": "",
            "/spaced": "value with spaces",
            "/colon": "value", "/key with spaces:and=signs": "v", "/unicode": "über 😀", "/backslash": "C:\\dir\\new",
            "/tab": "a\tb",
            "/leading": " x", "/0": "zero", "/1": "one",
        ]
        #expect(items == (try Dictionary(uniqueKeysWithValues: expected.map { (try key($0), Value($1)) })))
    }

    @Test("properties that are not UTF-8 are ISO 8859-1")
    func latin1() async throws {
        #expect(try await ConfigFormat.properties.leaves(of: Array("a=".utf8) + [0xE9]).map(\.value) == [Value("é")])
    }

    @Test("nested paths are joined, single names are kept to the letter, and types become text")
    func names() async throws {
        let items = [
            try key("/lower"): Value("a b"), try key("/pool-size"): Value(.number("5")),
            try key("/db/host.name"): Value("h"),
            try key("/on"): Value(.bool(true)), try key("/none"): Value(JSONValue.null), try key("/l"): Value([1, 2]),
        ]
        #expect(
            try await export(items, .env) == "DB_HOST_NAME=h\nl='[1,2]'\nlower='a b'\nnone=\non=true\nPOOL_SIZE=5\n")
        #expect(
            try await export(items, .properties) == "db.host.name=h\nl=[1,2]\nlower=a b\nnone=\non=true\npool-size=5\n")
    }

    @Test(
        "dotenv values have the lightest quotes that every reader understands alike",
        arguments: [
            ("plain/a-b.c:1", "plain/a-b.c:1"), ("", ""), ("a b", "'a b'"), ("$A #x", "'$A #x'"), ("a\nb", "'a\nb'"),
            ("é", "'é'"),
            ("it's", "\"it's\""), ("a\\b\"", "\"a\\\\b\\\"\""), ("C:\\dir\\", "C:\\dir\\"), ("a\r", "\"a\\r\""),
        ])
    func dotenvQuotes(_ text: String, _ expected: String) async throws {
        #expect(try await export([key("/A"): Value(text)], .env) == "A=\(expected)\n")
    }

    @Test(
        "two keys with one name are an error that names both",
        arguments: [(ConfigFormat.env, "/a-b/c", "/a/b/c"), (.properties, "/a.b", "/a/b")])
    func collisions(_ format: ConfigFormat, _ one: String, _ other: String) async throws {
        let error = await failure { _ = try await format.bytes(of: [key(one): Value("1"), key(other): Value("2")]) }
        #expect(error?.message.contains("“\(one)”") == true)
        #expect(error?.message.contains("“\(other)”") == true)
    }

    @Test(
        "lines that cannot be read are refused with their number, and without what stands there",
        arguments: [
            (ConfigFormat.env, "A=1\nSECRET\n", "Line 2"), (.env, "A=1\n\nB=\"SECRET\nx", "Line 3"),
            (.env, "A='x' SECRET", "Line 1"),
            (.env, "SECRET.x=1", "Line 1"), (.properties, "a=1\nb=SECRET\\u12", "Line 2"),
            (.properties, "a=SECRET\\uD83D", "Line 1"),
            (.toml, "a = 1\nb = SECRET", "Line 2"), (.toml, "a = 'x\nSECRET'", "Line 1"),
            (.json, "{\n\"a\": SECRET}", "Line 2"),
            (.yaml, "a: 1\nb: \"SECRET\n", "Line"), (.yaml, "a: b: SECRET", "Line 1"),
        ])
    func errors(_ format: ConfigFormat, _ text: String, _ expected: String) async throws {
        let error = await failure { _ = try await format.leaves(of: Array(text.utf8)) }
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "no error")")
        #expect(error?.description.contains("SECRET") == false)
    }
}
