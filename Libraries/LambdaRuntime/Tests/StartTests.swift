import Logging
import NIOHTTP1
import Testing

@testable import LambdaRuntime

/// What is said before the first invocation.
@Suite("The start of a runtime")
struct StartTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("Without a runtime API it is said what to do", arguments: [[:], ["AWS_LAMBDA_RUNTIME_API": ""]])
    func notInLambda(environment: [String: String]) throws {
        let error = #expect(throws: LambdaRuntimeError.self) {
            _ = try LambdaRuntime(environment: environment, logger: Self.logger)
        }
        #expect(error?.code == .notInLambda)
        let text = try #require(error).description
        for part in [
            "only runs in AWS Lambda", "AWS_LAMBDA_RUNTIME_API", "provided.al2023", "Runtime Interface Emulator",
        ] {
            #expect(text.contains(part))
        }
    }

    @Test("The environment says where to ask, and how many invocations are taken at a time")
    func environment() throws {
        var environment = ["AWS_LAMBDA_RUNTIME_API": "169.254.100.1:9001"]
        let one = try LambdaRuntime(environment: environment, logger: Self.logger)
        #expect(one.address.host == "169.254.100.1")
        #expect(one.address.port == 9001)
        #expect(one.concurrency == 1)
        environment["AWS_LAMBDA_MAX_CONCURRENCY"] = ""
        #expect(try LambdaRuntime(environment: environment, logger: Self.logger).concurrency == 1)
        environment["AWS_LAMBDA_MAX_CONCURRENCY"] = "64"
        #expect(try LambdaRuntime(environment: environment, logger: Self.logger).concurrency == 64)
        #expect(LambdaRuntime(address: one.address, concurrency: -1, logger: Self.logger).concurrency == 1)
    }

    @Test("A concurrency that is none is refused by its value", arguments: ["0", "-1", "many", "1.5", "65536", " 2"])
    func concurrency(text: String) {
        let environment = ["AWS_LAMBDA_RUNTIME_API": "localhost:1", "AWS_LAMBDA_MAX_CONCURRENCY": text]
        let error = #expect(throws: LambdaRuntimeError.self) {
            _ = try LambdaRuntime(environment: environment, logger: Self.logger)
        }
        #expect(error?.code == .invalidEnvironment)
        #expect(error?.message.contains("AWS_LAMBDA_MAX_CONCURRENCY is “\(text)”") == true)
    }

    @Test("An address is a host and a port", arguments: [("127.0.0.1:9001", "127.0.0.1"), ("[::1]:80", "::1")])
    func address(text: String, host: String) throws {
        let address = try RuntimeAddress(text)
        #expect(address.host == host)
        #expect(address.description == text)
    }

    @Test(
        "What is no address is refused by its value",
        arguments: [
            "localhost", ":80", "host:", "host:0", "host:65536", "host:+80", "host:http", "http://host:80", "::1",
            "::1:80", "[::1]", "[host]:80", "[]:80", "[:80", "ho st:80", "host\r\n:80", "user@host:80", "höst:80",
        ])
    func noAddress(text: String) {
        let error = #expect(throws: LambdaRuntimeError.self) { _ = try RuntimeAddress(text) }
        #expect(error?.code == .invalidEnvironment)
        #expect(error?.message.contains("“\(text)”") == true)
    }

    @Test("Lambda is told why a function cannot start")
    func initializationFailure() async throws {
        try await FakeRuntimeAPI.with { api in
            try await api.runtime().reportInitializationFailure(
                InvocationFailure("Runtime.ConfigInvalid", "DISCFG_STORE is not set."))
            let report = try await api.report()
            #expect(report.path == "/2018-06-01/runtime/init/error")
            #expect(report.headers["Lambda-Runtime-Function-Error-Type"] == ["Runtime.ConfigInvalid"])
            #expect(report.headers["Content-Type"] == ["application/vnd.aws.lambda.error+json"])
            let json =
                #"{"errorType":"Runtime.ConfigInvalid","errorMessage":"DISCFG_STORE is not set.","stackTrace":[]}"#
            #expect(String(decoding: report.body, as: UTF8.self) == json)
        }
    }

    @Test("It is told again where the connection breaks, and an error where nobody takes it")
    func initializationFailureLost() async throws {
        let failure = InvocationFailure("Runtime.ConfigInvalid", "No.")
        try await FakeRuntimeAPI.with { api in
            api.accept(.lost)
            try await api.runtime().reportInitializationFailure(failure)
            #expect(try await api.report().path == "/2018-06-01/runtime/init/error")
            #expect(try await api.report().path == "/2018-06-01/runtime/init/error")
            let refused = await #expect(throws: LambdaRuntimeError.self) {
                try await api.runtime().reportInitializationFailure(failure)
            }
            #expect(refused?.code == .unexpectedAnswer)
            #expect(refused?.message.contains("403") == true)
            let runtime = try api.runtime()
            await api.close()
            let gone = await #expect(throws: LambdaRuntimeError.self) {
                try await runtime.reportInitializationFailure(failure)
            }
            #expect(gone?.code == .gone)
        }
    }
}
