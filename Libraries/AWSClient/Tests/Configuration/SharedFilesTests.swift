import Testing

@testable import AWSClient

/// The shared files, against botocore's reading of them.
@Suite("Shared files")
struct SharedFilesTests {
    typealias Value = ProfileVectors.Value

    @Test("A file has the sections, settings and profiles that botocore sees", arguments: ProfileVectors.all.files)
    func files(file: ProfileVectors.File) throws {
        let expected = file.ours ?? file.sections
        guard let text = try? INIText(parsing: Array(file.text.utf8), path: "x") else {
            #expect(expected == .text("error"))
            return
        }
        #expect(object(text.sections.map { ($0.header, $0.settings) }) == expected)
        guard file.ours == nil, let map = file.map else { return }
        let sections = ConfigSections(text)
        #expect(
            .object([
                "profiles": object(sections.profiles), "sso_sessions": object(sections.sessions),
                "services": object(sections.services),
            ]) == map)
    }

    private func object(_ profiles: [String: Profile]) -> Value { object(profiles.map { ($0.key, $0.value.all) }) }

    private func object(_ sections: [(String, [String: INIText.Setting])]) -> Value {
        .object(
            Dictionary(uniqueKeysWithValues: sections).mapValues { settings in
                .object(
                    settings.mapValues { setting in
                        switch setting {
                        case .text(let text): .text(text)
                        case .nested(let nested): .object(nested.mapValues { .text($0) })
                        }
                    })
            })
    }

    @Test(
        "What is wrong in a file is told with its line, and without what stands there",
        arguments: [
            ("[default]\n\nSECRET\n", "Line 3"), ("SECRET = SECRET\n", "Line 1"), ("[default]\r\n= SECRET", "Line 2"),
            ("[default]\ns3 =\n  SECRET", "below “s3”"), ("[default]\na = \u{0}\n[x\nSECRET", "Line 3"),
        ])
    func errors(text: String, place: String) async throws {
        let error = try await failure(.invalidConfiguration) {
            try INIText(parsing: Array(text.utf8), path: "/the/file")
        }
        #expect(error.message.contains(place) && error.message.contains("/the/file"))
    }

    @Test("A file that is not UTF-8 is named")
    func notText() async throws {
        let error = try await failure(.invalidConfiguration) { try INIText(parsing: [0x5B, 0xFF], path: "/the/file") }
        #expect(error.message.contains("/the/file"))
    }

    @Test("Files that are not there are empty, and without a home folder there are none")
    func missing() throws {
        let none = try SharedFiles(environment: [:])
        #expect(none.profileNames == [] && none.configPath == nil)
        let missing = try SharedFiles(environment: ["HOME": "/nowhere", "AWS_CONFIG_FILE": "/nowhere/config"])
        #expect(missing.profileNames == [] && missing.credentialsPath == "/nowhere/.aws/credentials")
    }

    @Test("A file of more than 1 MB is refused, and one of 1 MB is read")
    func bounded() async throws {
        try await CredentialsFolder.with { folder in
            let environment = folder.environment()
            let padding = String(repeating: "#\n", count: SharedFiles.limit / 2)
            try folder.write("config", "[default]\nregion=x\n" + padding.dropLast(19))
            #expect(try SharedFiles(environment: environment).profile("default")?["region"] == "x")
            try folder.write("config", "[default]\nregion=x\n" + padding)
            let error = try await failure(.invalidConfiguration) { try SharedFiles(environment: environment) }
            #expect(error.description.contains("config") && error.description.contains("1 MB"))
        }
    }

    @Test("The credentials file holds against the config, and a leading ~ is the home folder")
    func merged() async throws {
        try await CredentialsFolder.with { folder in
            try folder.write("a", "[profile x]\nregion = one\noutput = json\n[profile y]\nregion = two\n")
            try folder.write("b", "[x]\nregion = three\n[z]\nregion = four\n")
            let files = try SharedFiles(environment: [
                "HOME": folder.path, "AWS_CONFIG_FILE": "~/a", "AWS_SHARED_CREDENTIALS_FILE": "~/b",
            ])
            #expect(files.profileNames == ["x", "y", "z"])
            #expect(files.profile("x")?["region"] == "three" && files.profile("x")?["output"] == "json")
            #expect(files.profile("z")?["region"] == "four" && files.profile("w") == nil)
        }
    }

    @Test("A profile and an environment show no value")
    func secrecy() async throws {
        try await CredentialsFolder.with { folder in
            try folder.write("credentials", "[default]\naws_secret_access_key = SECRET\n")
            let environment = folder.environment(["AWS_SECRET_ACCESS_KEY": "SECRET"])
            let configuration = try AWSConfiguration(environment: environment)
            #expect(configuration.profile?["aws_secret_access_key"] == "SECRET")
            #expect(!Secrecy.isLeaking(configuration) && !Secrecy.isLeaking(environment))
        }
    }

    @Test("A command is split as Python's shlex splits it", arguments: ProfileVectors.all.commands)
    func commands(command: ProfileVectors.Command) {
        #expect(ShellWords.split(command.text) == command.words)
    }

    @Test("Any bytes are read or refused, and nothing else happens")
    func noise() {
        var generator = Noise(state: 42)
        let alphabet = Array("[]=:#; \t\n\r\\\"'ab\u{FEFF}".utf8) + [0, 0xFF, 0xC3]
        for _ in 0..<3_000 {
            let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            if let text = try? INIText(parsing: bytes, path: "x") { _ = ConfigSections(text) }
            _ = ShellWords.split(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test("A file with 50,000 sections is read")
    func large() throws {
        let text = (0..<50_000).map { "[profile p\($0)]\na=b\n" }.joined()
        #expect(try ConfigSections(INIText(parsing: Array(text.utf8), path: "x")).profiles.count == 50_000)
    }
}

/// Numbers that are the same in every run.
struct Noise: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
