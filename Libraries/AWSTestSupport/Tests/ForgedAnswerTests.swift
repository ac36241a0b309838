import Foundation
import NIOCore
import Testing

@testable import AWSTestSupport

/// The errors that the proxy makes, as a client gets them.
@Suite("Forged answers")
struct ForgedAnswerTests {
    private static let put = #"{"TableName":"t1","Item":{}}"#
    private static let transaction = """
        {"TransactItems":[{"Put":{"TableName":"t1","Item":{}}},{"Delete":{"TableName":"t1","Key":{}}},\
        {"ConditionCheck":{"TableName":"t1"}}],"ClientRequestToken":"x"}
        """
    private static let table = "arn:aws:dynamodb:eu-west-1:000000000000:table/t1"

    struct Case: Sendable, CustomTestStringConvertible {
        var fault: FaultProxy.Fault
        var operation: String
        var status = 400
        var type: String
        var reasons: [String: String]?
        var testDescription: String { "\(fault) of \(operation)" }
    }

    @Test(
        "An error has the status, the type and the reasons of the real one",
        arguments: [
            Case(
                fault: .throttled, operation: "PutItem", type: "com.amazonaws.dynamodb.v20120810#ThrottlingException",
                reasons: ["throttlingReasons": "TableWriteKeyRangeThroughputExceeded"]),
            Case(
                fault: .throttled, operation: "Query", type: "com.amazonaws.dynamodb.v20120810#ThrottlingException",
                reasons: ["throttlingReasons": "TableReadKeyRangeThroughputExceeded"]),
            Case(
                fault: .provisionedThroughputExceeded, operation: "UpdateItem",
                type: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
                reasons: ["ThrottlingReasons": "TableWriteProvisionedThroughputExceeded"]),
            Case(
                fault: .transactionConflict, operation: "PutItem",
                type: "com.amazonaws.dynamodb.v20120810#TransactionConflictException"),
            Case(
                fault: .internalError, operation: "PutItem", status: 500,
                type: "com.amazonaws.dynamodb.v20120810#InternalServerError"),
            Case(
                fault: .internalErrorAfterEffect, operation: "TransactWriteItems", status: 500,
                type: "com.amazonaws.dynamodb.v20120810#InternalServerError"),
            Case(
                fault: .expiredToken, operation: "TransactWriteItems",
                type: "com.amazon.coral.service#ExpiredTokenException"),
        ])
    func errors(example: Case) async throws {
        let body = example.operation == "TransactWriteItems" ? Self.transaction : Self.put
        let (answer, json) = try await Self.answer(to: example.fault, example.operation, body)
        #expect(answer.status == example.status && json["__type"] as? String == example.type)
        #expect(json["message"] is String)
        #expect(answer.header("content-type") == "application/x-amz-json-1.0")
        #expect(answer.header("x-amz-crc32") == "\(crc32(of: answer.body.utf8))")
        for member in ["throttlingReasons", "ThrottlingReasons"] {
            let reasons = json[member] as? [[String: String]]
            #expect(reasons?.first?["reason"] == example.reasons?[member])
            #expect(reasons == nil || reasons?.first?["resource"] == Self.table)
        }
    }

    @Test(
        "A transaction is cancelled with one reason for each of its items",
        arguments: [
            (FaultProxy.Fault.throttled, ["ThrottlingError", "ThrottlingError", "ThrottlingError"]),
            (.provisionedThroughputExceeded, ["ProvisionedThroughputExceeded", "None", "None"]),
            (.transactionConflict, ["TransactionConflict", "None", "None"]),
        ])
    func cancellations(fault: FaultProxy.Fault, codes: [String]) async throws {
        let (answer, json) = try await Self.answer(to: fault, "TransactWriteItems", Self.transaction)
        #expect(answer.status == 400)
        #expect(json["__type"] as? String == "com.amazonaws.dynamodb.v20120810#TransactionCanceledException")
        let reasons = try #require(json["CancellationReasons"] as? [[String: String]])
        #expect(reasons.map { $0["Code"] } == codes)
        #expect(reasons.allSatisfy { ($0["Code"] == "None") == ($0["Message"] == nil) })
        let message = try #require(json["Message"] as? String)
        #expect(message.hasSuffix("specific reasons [\(codes.joined(separator: ", "))]"))
    }

    @Test("The item of a transaction that conflicts is any of them, by the plan's seed")
    func positions() async throws {
        let plan = FaultProxy.Plan(faults: [.transactionConflict], percentage: 100, maximumInARow: .max, seed: 5)
        let positions = try await StubServer.with { server in
            try await FaultProxy.with(before: server.url, plan: plan) { proxy in
                var positions: Set<Int> = []
                for _ in 0..<30 {
                    let answer = try await RawClient.call(proxy.url, "TransactWriteItems", Self.transaction)
                    let reasons = try Self.json(answer)["CancellationReasons"] as? [[String: String]]
                    positions.insert(try #require(reasons?.firstIndex { $0["Code"] == "TransactionConflict" }))
                }
                return positions
            }
        }
        #expect(positions == [0, 1, 2])
    }

    @Test("A body that is no JSON still gets an error", arguments: ["", "[]", "{\"TransactItems\":[1]}"])
    func malformedRequests(body: String) async throws {
        let (_, json) = try await Self.answer(to: .transactionConflict, "TransactWriteItems", body)
        #expect((json["CancellationReasons"] as? [[String: String]])?.count == 1)
    }

    @Test("The checksum is the one of RFC 1952")
    func checksum() {
        #expect(crc32(of: "123456789".utf8) == 0xCBF4_3926)
    }

    @Test("A batch names its table in another place")
    func batches() async throws {
        let (_, json) = try await Self.answer(
            to: .throttled, "BatchGetItem", #"{"RequestItems":{"t1":{"Keys":[{"pk":{"S":"a"}}]}}}"#)
        #expect((json["throttlingReasons"] as? [[String: String]])?.first?["resource"] == Self.table)
    }

    private static func answer(to fault: FaultProxy.Fault, _ operation: String, _ body: String) async throws
        -> (RawClient.Answer, [String: Any])
    {
        let answer = try await StubServer.with { server in
            try await FaultProxy.with(before: server.url) { proxy in
                proxy.script([fault], for: operation)
                return try await RawClient.call(proxy.url, operation, body)
            }
        }
        return (answer, try json(answer))
    }

    private static func json(_ answer: RawClient.Answer) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    }
}
