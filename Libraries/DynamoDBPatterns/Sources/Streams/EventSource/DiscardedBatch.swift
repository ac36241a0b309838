import AWSClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What Lambda tells a failure destination about records that it gives up; the records themselves are not in it.
struct DiscardedBatch {
    /// Why records are given up.
    enum Condition: String {
        case retryAttemptsExhausted = "RetryAttemptsExhausted"
        case recordAgeExceeded = "RecordAgeExceeded"
    }

    var condition: Condition
    var entries: [EventSourceBatchQueue.Entry]
    var invocations: Int
    /// Whether the function threw, in its last delivery.
    var functionFailed: Bool
    var shard: String
    var stream: String
    var functionARN: String

    /// The message, in JSON.
    func json(clock: PatternClock) -> [UInt8] {
        var response: [String: AttributeValue] = ["statusCode": .integer(200), "executedVersion": .string("$LATEST")]
        if functionFailed { response["functionError"] = .string("Unhandled") }
        let message: [String: AttributeValue] = [
            "requestContext": .map([
                "requestId": .string(Self.requestID(clock)), "functionArn": .string(functionARN),
                "condition": .string(condition.rawValue), "approximateInvokeCount": .integer(invocations),
            ]),
            "responseContext": .map(response),
            "version": .string("1.0"),
            "timestamp": .string(clock.now().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
            "DDBStreamBatchInfo": .map([
                "shardId": .string(shard), "streamArn": .string(stream), "batchSize": .integer(entries.count),
                "startSequenceNumber": .string(entries.first?.sequence ?? ""),
                "endSequenceNumber": .string(entries.last?.sequence ?? ""),
                "approximateArrivalOfFirstRecord": Self.time(entries.first?.created),
                "approximateArrivalOfLastRecord": Self.time(entries.last?.created),
            ]),
        ]
        return JSONWriter.bytes(of: .map(message), sortingMembers: true)
    }

    private static func time(_ date: Date?) -> AttributeValue {
        date.map { .string($0.formatted(.iso8601)) } ?? .null
    }

    /// 32 hexadecimal digits in the groups of a UUID.
    private static func requestID(_ clock: PatternClock) -> String {
        let digits = Array(clock.token() + clock.token())
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
