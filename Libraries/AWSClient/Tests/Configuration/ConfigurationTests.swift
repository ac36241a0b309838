import Testing

@testable import AWSClient

@Suite("Configuration")
struct ConfigurationTests {
    static let services: [String: AWSService] = Dictionary(
        uniqueKeysWithValues: [
            AWSService.dynamoDB, .dynamoDBStreams, .sts, .kms, .sqs, .sns, .lambda,
        ].map { ($0.identifier, $0) })

    @Test("An endpoint is the one that botocore asks, and what botocore refuses is refused")
    func endpoints() async throws {
        #expect(ProfileVectors.all.endpoints.count > 130)
        for vector in ProfileVectors.all.endpoints {
            let url = try await CredentialsFolder.with { folder in
                try folder.write("config", vector.config)
                let variables = ["AWS_CONFIG_FILE": "\(folder.path)/config"].merging(vector.env) { $1 }
                let service = try #require(Self.services[vector.service])
                return try? AWSConfiguration(environment: AWSEnvironment(variables)).endpoint(for: service).url
            }
            let expected = vector.url == "error" ? nil : vector.url
            let trimmed = url.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
            #expect(trimmed == expected, "\(vector)")
        }
    }

    @Test("What is passed holds against variables, and AWS_REGION against AWS_DEFAULT_REGION")
    func precedence() async throws {
        try await CredentialsFolder.with { folder in
            try folder.write(
                "config", "[default]\nregion = r-file\n[profile a]\nregion = r-a\nendpoint_url = http://a\n")
            let bare: [String: String] = ["AWS_CONFIG_FILE": "\(folder.path)/config"]
            func region(_ more: [String: String], profile: String? = nil, region: String? = nil) throws -> String {
                let environment = AWSEnvironment(bare.merging(more) { $1 })
                return try AWSConfiguration(environment: environment, profile: profile, region: region).region().name
            }
            let both = ["AWS_REGION": "r-one", "AWS_DEFAULT_REGION": "r-two"]
            #expect(try region(both, profile: "a", region: "r-own") == "r-own")
            #expect(try region(both, profile: "a") == "r-one")
            #expect(try region(["AWS_REGION": "", "AWS_DEFAULT_REGION": "r-two"]) == "r-two")
            #expect(try region(["AWS_PROFILE": "a", "AWS_DEFAULT_PROFILE": "default"]) == "r-a")
            #expect(try region(["AWS_PROFILE": "a"], profile: "default") == "r-file")
            #expect(try region([:]) == "r-file")
            let environment = AWSEnvironment(bare.merging(["AWS_ENDPOINT_URL": "http://b"]) { $1 })
            let passed = try AWSConfiguration(environment: environment, profile: "a", endpoint: "http://c:1/d")
            #expect(try passed.endpoint(for: .dynamoDB).url == "http://c:1/d")
            #expect(try AWSConfiguration(environment: environment).endpoint(for: .dynamoDB).url == "http://b/")
        }
    }

    @Test("A missing region, a missing profile and what is not supported say what to set")
    func hints() async throws {
        try await CredentialsFolder.with { folder in
            try folder.write("config", "[profile one]\nuse_fips_endpoint = true\n[profile two]\nservices = s\n")
            let bare: AWSEnvironment = ["AWS_CONFIG_FILE": "\(folder.path)/config"]
            let region = try await failure(.invalidConfiguration) { try AWSConfiguration(environment: bare).region() }
            #expect(region.hint?.contains("AWS_REGION") == true)
            let profile = try await failure(.invalidConfiguration) {
                try AWSConfiguration(environment: bare, profile: "three")
            }
            #expect(profile.message.contains("“three”") && profile.hint == "There are “one”, “two”.")
            let fips = try await failure(.invalidConfiguration) {
                try AWSConfiguration(environment: bare, profile: "one", region: "eu-west-1").endpoint(for: .dynamoDB)
            }
            #expect(fips.message.contains("AWS_USE_FIPS_ENDPOINT"))
            #expect(fips.hint?.contains("AWS_ENDPOINT_URL_DYNAMODB") == true)
            let services = try await failure(.invalidConfiguration) {
                try AWSConfiguration(environment: bare, profile: "two", region: "eu-west-1").endpoint(for: .sts)
            }
            #expect(services.hint?.contains("[services s]") == true)
        }
    }

    @Test(
        "An address that could lead elsewhere is refused, and a password in it is not shown",
        arguments: [
            "", "localhost", "ftp://a", "http://", "http:///x", "http://user:SECRET@host", "http://a:0",
            "http://a:65536",
            "http://a:+1", "http://a:", "http://a:1:2", "http://a?SECRET=x", "http://a#b", "http://a\\b", "http://a b",
            "http://a/\nb", "http://ä", "http://[::1", "http://[::1]x", "http://[1:2]", "http://[::g]", "http://[]",
            "http://a%2eb", "http://-a", "http://a.-b", "http://a..b", "http://\(String(repeating: "a", count: 64))",
            "http://a/\(String(repeating: "b", count: 2048))", "http://[1:2:3:4:5:6:7:8:9]", "http://[::1::2]",
        ])
    func addresses(text: String) async throws {
        let error = try await failure(.invalidConfiguration) { try AWSEndpoint(text, setting: "AWS_ENDPOINT_URL") }
        #expect(error.message.contains("AWS_ENDPOINT_URL"))
    }

    @Test(
        "An address keeps its parts, with its host in small letters, as it is signed",
        arguments: [
            ("https://a.example", "https://a.example/", "a.example"),
            ("HTTP://A:8000/x/", "http://a:8000/x/", "a:8000"),
            ("http://[fd00:ec2::23]:80/v1", "http://[fd00:ec2::23]:80/v1", "[fd00:ec2::23]:80"),
            ("http://127.0.0.1", "http://127.0.0.1/", "127.0.0.1"), ("http://a.", "http://a./", "a."),
        ])
    func parts(text: String, url: String, authority: String) throws {
        let endpoint = try AWSEndpoint(text, setting: "x")
        #expect(endpoint.url == url && endpoint.authority == authority && "\(endpoint)" == url)
    }

    @Test(
        "Only this machine's own addresses are loopback",
        arguments: [
            ("127.0.0.1", true), ("127.255.0.9", true), ("localhost", true), ("LOCALHOST", true), ("::1", true),
            ("0:0:0:0:0:0:0:1", true), ("127.0.0.1.evil.example", false), ("127.1", false), ("0177.0.0.1", false),
            ("localhost.evil.example", false), ("::2", false), ("::ffff:127.0.0.1", false), ("128.0.0.1", false),
            ("0.0.0.0", false), ("", false), ("127.0.0.256", false), ("127.0.0.1.", false),
        ])
    func loopback(host: String, isLoopback: Bool) { #expect(HostName.isLoopback(host) == isLoopback) }

    @Test("A region in capitals is refused, as no signature with it would hold")
    func capitals() async throws {
        let error = try await failure(.invalidConfiguration) { try AWSRegion("EU-West-1\n") }
        #expect(error.message.contains("“EU-West-1·”"))
    }
}
