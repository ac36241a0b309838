import Foundation
import Subprocess
import SystemPackage
import Testing

@testable import AWSTestSupport

extension Trait where Self == ConditionTrait {
    /// Skips where there is no ministack, and says why.
    static var needsMinistack: Self {
        .enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? ""))
    }
}

/// The stand-in itself: that it runs, and that it never outlives its tests.
@Suite("Ministack", .needsMinistack)
struct MinistackTests {
    private static let table = """
        {"TableName":"table","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],\
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}
        """

    @Test("Two that run at the same time know nothing of each other, and forget everything when asked")
    func independence() async throws {
        try await Ministack.with { first in
            try await Ministack.with { second in
                #expect(try await RawClient.call(first.url, "CreateTable", Self.table).status == 200)
                #expect(try await RawClient.call(first.url, "ListTables", "{}").body == #"{"TableNames": ["table"]}"#)
                #expect(try await RawClient.call(second.url, "ListTables", "{}").body == #"{"TableNames": []}"#)
                try await first.reset()
                #expect(try await RawClient.call(first.url, "ListTables", "{}").body == #"{"TableNames": []}"#)
            }
        }
    }

    @Test("All who ask for the shared one get the same")
    func shared() async throws {
        async let first = Ministack.shared()
        async let second = Ministack.shared()
        #expect(try await first === second)
        #expect(try await RawClient.call(first.url, "ListTables", "{}").status == 200)
    }

    @Test("It is gone when it was stopped, and when nobody refers to it")
    func stopping() async throws {
        let url = try await Ministack.with { $0.url }
        #expect(await !Self.answers(url))
        let forgotten = try await Ministack.start().url
        try await eventually { await !Self.answers(forgotten) }
    }

    @Test("It dies with the process that started it, also when that is killed")
    func killedParent() async throws {
        let result = await #expect(
            processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
        ) {
            let ministack = try await Ministack.start()
            #expect(try await RawClient.call(ministack.url, "ListTables", "{}").status == 200)
            print("listening at \(ministack.url).")
            fflush(nil)
            kill(getpid(), SIGKILL)
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let url = try #require(output.firstMatch(of: /listening at (http:\/\/[0-9.]+:[0-9]+)\./)).output.1
        try await eventually { await !Self.answers(String(url)) }
    }

    @Test("A proxy before it makes faults that take effect there, and counts its units")
    func behindProxy() async throws {
        let ministack = try await Ministack.shared()
        try await FaultProxy.with(before: ministack.url) { proxy in
            let name = "table-\(UInt32.random(in: 0 ... .max))"
            let create = Self.table.replacingOccurrences(of: #""table""#, with: "\"\(name)\"")
            let put = #"{"TableName":"\#(name)","Item":{"pk":{"S":"a"}},"ReturnConsumedCapacity":"TOTAL"}"#
            let get = #"{"TableName":"\#(name)","Key":{"pk":{"S":"a"}},"ReturnConsumedCapacity":"TOTAL"}"#
            proxy.script([.lostReply], for: "PutItem")
            let created = try await RawClient.call(proxy.url, "CreateTable", create)
            let lost = try await RawClient.call(proxy.url, "PutItem", put)
            let stored = try await RawClient.call(proxy.url, "GetItem", get)
            #expect(created.status == 200 && lost.wasClosed && stored.body.contains(#"{"pk": {"S": "a"}}"#))
            let counts = proxy.takeCounts()
            #expect(counts.operations["PutItem"]?.units == 1 && counts.operations["GetItem"]?.units == 0.5)
        }
    }

    private static func answers(_ url: String) async -> Bool {
        (try? await RawClient.call(url, "ListTables", "{}").status) == 200
    }
}

/// What is needed to start it.
@Suite("Where ministack is not")
struct MissingMinistackTests {
    @Test("The reason to skip names the variable, and the program that is not there")
    func reasons() throws {
        #expect(Ministack.skipReason(folder: nil)?.contains("DISCFG_AWS_VENV is not set") == true)
        #expect(Ministack.skipReason(folder: "")?.contains("DISCFG_AWS_VENV is not set") == true)
        #expect(Ministack.skipReason(folder: "/nowhere")?.contains("/nowhere/bin/ministack") == true)
    }
}
