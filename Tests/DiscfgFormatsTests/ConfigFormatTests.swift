import Testing

@testable import DiscfgFormats

@Suite struct ConfigFormatTests {
    @Test(
        "a file's name tells its format",
        arguments: [
            ("a.json", ConfigFormat.json), ("dir.toml/b.yml", .yaml), ("C.YAML", .yaml), ("influxdb.toml", .toml),
            (".env", .env),
            (".env.production", .env), ("mastodon.env", .env), ("/etc/x/catalina.properties", .properties),
            (".env.yaml", .yaml),
            ("influxdb.conf", nil), ("json", nil), ("", nil), ("env", nil), ("a.env/", .env),
        ] as [(String, ConfigFormat?)])
    func fileNames(_ name: String, _ expected: ConfigFormat?) async {
        #expect(ConfigFormat(fileName: name) == expected)
    }

    @Test("a format has a name, and some have a second", arguments: ConfigFormat.allCases)
    func names(_ format: ConfigFormat) async {
        #expect(ConfigFormat(name: format.rawValue.uppercased()) == format)
        #expect(ConfigFormat(name: "yml") == .yaml)
        #expect(ConfigFormat(name: "xml") == nil)
    }
}
