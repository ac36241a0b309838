import NIOHTTP1
import Testing

@testable import LambdaRuntime

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What Lambda is told when a handler fails.
@Suite("Failures of a handler")
struct FailureTests {
    /// The body of a failure, as Lambda reads it.
    private struct Told: Decodable, Equatable {
        var errorType: String
        var errorMessage: String
        var stackTrace: [String]

        init(_ body: [UInt8]) throws { self = try JSONDecoder().decode(Told.self, from: Data(body)) }
    }

    private struct Unforeseen: Error, CustomStringConvertible {
        let description = "the password is hunter2"
    }

    @Test("A failure that the handler throws arrives with its type in the header and in the body")
    func failure() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give("id")
            try await api.serving({ _ in
                throw InvocationFailure(
                    "Function.InvalidEvent", "There is no body.", stackTrace: ["a.swift:1", "b.swift:2"])
            }) {
                let report = try await api.report()
                #expect(report.path == "/2018-06-01/runtime/invocation/id/error")
                #expect(report.headers["Lambda-Runtime-Function-Error-Type"] == ["Function.InvalidEvent"])
                #expect(report.headers["Content-Type"] == ["application/vnd.aws.lambda.error+json"])
                let json = #"{"errorType":"Function.InvalidEvent","errorMessage":"There is no body.","#
                #expect(
                    String(decoding: report.body, as: UTF8.self) == json + #""stackTrace":["a.swift:1","b.swift:2"]}"#)
            }
        }
    }

    @Test("Of any other error the type is told, and neither Lambda nor the log has what it says")
    func otherError() async throws {
        let log = LogText()
        try await FakeRuntimeAPI.with { api in
            api.give("id-1", "my secret event")
            api.give("id-2", "my secret event")
            try await api.serving(logger: log.logger) { invocation in
                if invocation.requestID == "id-1" { throw Unforeseen() }
                return Array("my secret answer".utf8)
            } _: {
                let report = try await api.report()
                #expect(report.headers["Lambda-Runtime-Function-Error-Type"] == ["Function.Unforeseen"])
                let told = try Told(report.body)
                #expect(told.errorType == "Function.Unforeseen")
                #expect(told.errorMessage.contains("type Unforeseen"))
                #expect(!told.errorMessage.contains("hunter2"))
                #expect(told.stackTrace == [])
                try await api.expectReport("id-2/response")
            }
        }
        #expect(log.lines.contains { $0.hasPrefix("error") && $0.contains("aws.request.id=id-1") })
        #expect(log.lines.contains { $0.hasPrefix("debug") && $0.contains("aws.request.id=id-2") })
        #expect(!log.lines.contains { $0.contains("secret") || $0.contains("hunter2") })
    }

    @Test("A failure ends nothing: the next invocation is taken on the same connection")
    func goesOn() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give("bad")
            api.give("good")
            try await api.serving({ invocation in
                if invocation.requestID == "bad" { throw CancellationError() }
                return []
            }) {
                try await api.expectReport("bad/error")
                try await api.expectReport("good/response")
            }
            #expect(api.connectionCount == 1)
        }
    }

    @Test(
        "Unusual characters arrive as they are",
        arguments: [
            "", "\"quoted\"", #"C:\path\"#, "two\r\nlines\tand a tab", "\0\u{1}\u{8}\u{C}\u{1B}\u{1F}\u{7F}\u{80}",
            "\u{2028}\u{2029}", "</script>", "é e\u{301} ünïcödé 漢字 👩‍👩‍👧‍👦 \u{FEFF}\u{FFFD}\u{10FFFF}",
        ])
    func unusualCharacters(text: String) throws {
        let json = InvocationFailure("Function.\(text)", text, stackTrace: [text, text]).json
        #expect(try Told(json).errorType.unicodeScalars.elementsEqual("Function.\(text)".unicodeScalars))
        #expect(try Told(json).errorMessage.unicodeScalars.elementsEqual(text.unicodeScalars))
        #expect(try Told(json).stackTrace == [text, text])
        // One line, whoever reads it.
        #expect(!json.contains { $0 < 0x20 })
        #expect(
            !String(decoding: json, as: UTF8.self).unicodeScalars.contains { ["\u{2028}", "\u{2029}"].contains($0) })
    }

    @Test(
        "A type that no header takes is changed there, and stands in the body as it is",
        arguments: [
            ("", "Function.Unknown"), ("Two words", "Two_words"), ("a\r\nHost: b", "a__Host:_b"), ("é漢👍", "___"),
            (String(repeating: "x", count: 300), String(repeating: "x", count: 256)),
        ])
    func headerValue(type: String, header: String) async throws {
        try await FakeRuntimeAPI.with { api in
            api.give("id")
            try await api.serving({ _ in throw InvocationFailure(type, "It failed.") }) {
                let report = try await api.report()
                #expect(report.headers["Lambda-Runtime-Function-Error-Type"] == [header])
                #expect(try Told(report.body).errorType == type)
            }
        }
    }
}
