import ArgumentParser
import DiscfgCore
import DiscfgDynamoDB
import DiscfgHTTP
import DiscfgTestSupport
import Testing

@testable import discfg

@Suite("Store URLs")
struct StoreURLTests {
    static let environment = ["HOME": "/h/anna"]

    #if os(Linux)
    @Test(
        "A store URL names a file, a server or memory",
        arguments: [
            ("sqlite:", "sqlite:/h/anna/.local/share/discfg/discfg.db"), ("sqlite:x.db", "sqlite:x.db"),
            ("sqlite:/var/x.db", "sqlite:/var/x.db"), ("sqlite:///var/x.db", "sqlite:/var/x.db"),
            ("sqlite:~/x.db", "sqlite:/h/anna/x.db"), ("SQLITE:x.db", "sqlite:x.db"), ("memory:", "memory:"),
            ("http://127.0.0.1:8899", "http://127.0.0.1:8899"), ("https://cfg.example/", "https://cfg.example"),
            ("http://[::1]:8899", "http://[::1]:8899"),
        ])
    func reads(text: String, expected: String) throws {
        #expect(try StoreURL(text, environment: Self.environment).description == expected)
    }
    #endif

    @Test("The data folder of the user is where XDG_DATA_HOME says")
    func dataFolder() throws {
        let url = try StoreURL("sqlite:", environment: ["HOME": "/h", "XDG_DATA_HOME": "/data"])
        #expect((url.location as? SQLiteLocation)?.path == "/data/discfg/discfg.db")
        #expect(throws: DiscfgError.self) { try StoreURL("sqlite:", environment: [:]) }
    }

    @Test(
        "What is not a store URL is refused by name, as wrong usage",
        arguments: [
            "", "x.db", "./x.db", "redis:x", "http:", "http://", "http://:80", "http://h/path#x", "http://h?x",
            "sqlite://x",
            "sqlite:dir/", "memory:x", "http://user:secret@host",
        ])
    func refuses(text: String) throws {
        let error = try #require(throws: DiscfgError.self) { try StoreURL(text, environment: Self.environment) }
        #expect(error.code == .invalidRequest)
        #expect(error.hint != nil)
        #expect(!error.description.contains("secret"))
    }

    @Test("A kind of store that there is not is refused with the forms of all kinds")
    func kinds() throws {
        let error = try #require(throws: DiscfgError.self) { try StoreURL("redis:x", environment: [:]) }
        #expect(error.hint == "There are sqlite:PATH, dynamodb:TABLE, http://HOST:PORT and memory:.")
        for kind in StoreKind.all {
            let form = kind.form.replacing("HOST:PORT", with: "127.0.0.1:1").replacing("TABLE", with: "table")
            let found = try StoreURL(form, environment: Self.environment)
            #expect(kind.schemes.contains { found.description.hasPrefix($0 + ":") })
        }
    }

    @Test("Reading is of no use for a store that opening would create")
    func contents() throws {
        for (text, expected) in [("sqlite:/", false), ("memory:", false), ("http://h", true), ("dynamodb:table", true)]
        {
            let text = text == "sqlite:/" ? "sqlite:/nowhere/x.db" : text
            #expect(try StoreURL(text, environment: [:]).location.hasContents == expected, "\(text)")
        }
    }

    @Test("A host and a port without http:// are answered with the URL of a server")
    func addresses() throws {
        for text in ["localhost:8899", "127.0.0.1:8899", "config.internal:80/prod"] {
            let error = try #require(throws: DiscfgError.self) { try StoreURL(text, environment: [:]) }
            #expect(error.hint?.hasPrefix("For a server write “http://\(text)”. ") == true)
        }
    }

    @Test(
        "A DynamoDB store names a table, and where it is",
        arguments: [
            "dynamodb:discfg", "dynamodb:a.b_c-D9?region=eu-west-1",
            "dynamodb:discfg?region=us-east-1&endpoint=http://127.0.0.1:4566&profile=team",
        ])
    func readsDynamoDB(text: String) throws {
        #expect(try StoreURL(text, environment: [:]).description == text)
    }

    @Test("What is written of a table is percent-decoded")
    func decodes() throws {
        let url = try StoreURL("dynamodb:discfg?endpoint=http%3A%2F%2Flocalhost%3A8000", environment: [:])
        #expect((url.location as? TableLocation)?.address.endpoint == "http://localhost:8000")
    }

    @Test(
        "A table that cannot be one is refused, and so is a parameter that there is not",
        arguments: [
            "dynamodb:", "dynamodb:ab", "dynamodb:a/b/c", "dynamodb:table?region", "dynamodb:table?secret=x",
            "dynamodb:table?region=%zz",
        ])
    func refusesTable(text: String) throws {
        let error = try #require(throws: DiscfgError.self) { try StoreURL(text, environment: [:]) }
        #expect(error.code == .invalidRequest && error.hint != nil)
    }

    @Test("A table is one store, whether its region is in the URL or in the environment")
    func identity() async throws {
        func name(_ store: String, _ variables: [String: String] = [:]) async throws -> String? {
            let settings = try Settings(
                try GlobalOptions.parse(["--store", store]), config: nil,
                environment: Self.environment.merging(variables) { $1 }, directory: "/")
            let open = try OpenStore(
                settings, metrics: PrometheusRegistry(), use: StoreUse(), logger: LogCapture().logger)
            try await open.close()
            return open.local?.storeName
        }
        let named = try await name("dynamodb:team?region=eu-west-1")
        #expect(try await name("dynamodb:team", ["AWS_REGION": "eu-west-1"]) == named)
        #expect(try await name("dynamodb:team?region=eu-west-1", ["AWS_REGION": "us-east-1"]) == named)
        #expect(try await name("dynamodb:team", ["AWS_REGION": "us-east-1"]) != named)
        #expect(try await name("dynamodb:other?region=eu-west-1") != named)
    }
}
