#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import NIOCore
import NIOHTTP1

/// An error as DynamoDB itself sends it: its model says how each member is spelt.
struct ForgedAnswer: Encodable {
    private enum CodingKeys: String, CodingKey {
        case type = "__type"
        case message
        // The one exception of the model that spells it so.
        case canceledMessage = "Message"
        case cancellationReasons = "CancellationReasons"
        case throttlingReasons = "ThrottlingReasons"
        // ThrottlingException is not DynamoDB's own, and has another spelling.
        case sharedThrottlingReasons = "throttlingReasons"
    }

    struct ThrottlingReason: Encodable {
        var reason: String
        var resource: String
    }

    struct CancellationReason: Encodable {
        private enum CodingKeys: String, CodingKey {
            case code = "Code"
            case message = "Message"
        }
        var code: String
        var message: String?
        static let none = CancellationReason(code: "None")
    }

    var status = HTTPResponseStatus.badRequest
    var type: String
    var message: String?
    var canceledMessage: String?
    var cancellationReasons: [CancellationReason]?
    var throttlingReasons: [ThrottlingReason]?
    var sharedThrottlingReasons: [ThrottlingReason]?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encodeIfPresent(message, forKey: .message)
        try container.encodeIfPresent(canceledMessage, forKey: .canceledMessage)
        try container.encodeIfPresent(cancellationReasons, forKey: .cancellationReasons)
        try container.encodeIfPresent(throttlingReasons, forKey: .throttlingReasons)
        try container.encodeIfPresent(sharedThrottlingReasons, forKey: .sharedThrottlingReasons)
    }

    /// The whole response, with the headers of DynamoDB.
    var response: NIOHTTPClientResponseFull {
        let encoder = JSONEncoder()
        // In one order, so that the same seed gives the same bytes.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let body = ByteBuffer(bytes: (try? encoder.encode(self)) ?? Data("{}".utf8))
        let headers: HTTPHeaders = [
            "Content-Type": "application/x-amz-json-1.0",
            "x-amzn-RequestId": String(UInt64.random(in: 0 ... .max), radix: 32, uppercase: true),
            "x-amz-crc32": "\(crc32(of: body.readableBytesView))",
        ]
        return NIOHTTPClientResponseFull(
            head: HTTPResponseHead(version: .http1_1, status: status, headers: headers), body: body)
    }
}

extension ForgedAnswer {
    private static let service = "com.amazonaws.dynamodb.v20120810#"
    private static let onDemandMessage =
        "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or "
        + "index so please try again shortly. If exceptions persist, check if you have a hot key: "
        + "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
    private static let provisionedMessage =
        "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning "
        + "level with the UpdateTable API."
    private static let conflictMessage = "Transaction is ongoing for the item"

    /// The error that stands for a fault; `nil` for those faults that are no error of DynamoDB.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - request: The request that meets it.
    ///   - position: Which of a transaction's items has it, modulo their number.
    init?(_ fault: FaultProxy.Fault, for request: ProxiedRequest, position: UInt64) {
        switch fault {
        case .throttled:
            if request.isTransaction {
                self.init(everyItemOf: request, code: "ThrottlingError", Self.onDemandMessage)
            } else {
                self.init(type: Self.service + "ThrottlingException", message: Self.onDemandMessage)
                sharedThrottlingReasons = [Self.reason(request, "KeyRangeThroughputExceeded")]
            }
        case .provisionedThroughputExceeded:
            if request.isTransaction {
                self.init(
                    itemOf: request, position, code: "ProvisionedThroughputExceeded", Self.provisionedMessage)
            } else {
                self.init(
                    type: Self.service + "ProvisionedThroughputExceededException", message: Self.provisionedMessage)
                throttlingReasons = [Self.reason(request, "ProvisionedThroughputExceeded")]
            }
        case .transactionConflict:
            if request.isTransaction {
                self.init(itemOf: request, position, code: "TransactionConflict", Self.conflictMessage)
            } else {
                self.init(type: Self.service + "TransactionConflictException", message: Self.conflictMessage)
            }
        case .internalError, .internalErrorAfterEffect:
            self.init(
                status: .internalServerError, type: Self.service + "InternalServerError",
                message: "Internal server error")
        case .expiredToken:
            self.init(
                type: "com.amazon.coral.service#ExpiredTokenException",
                message: "The security token included in the request is expired")
        case .lostReply, .lostRequest, .cut, .slow, .silent, .crcMismatch: return nil
        }
    }

    /// A canceled transaction of which each item has the same reason.
    private init(everyItemOf request: ProxiedRequest, code: String, _ message: String) {
        let count = max(1, request.content.itemCount)
        self.init(canceled: Array(repeating: CancellationReason(code: code, message: message), count: count))
    }

    /// A canceled transaction of which one item has a reason, and the others have none.
    private init(itemOf request: ProxiedRequest, _ position: UInt64, code: String, _ message: String) {
        let count = max(1, request.content.itemCount)
        var reasons = Array(repeating: CancellationReason.none, count: count)
        reasons[Int(position % UInt64(count))] = CancellationReason(code: code, message: message)
        self.init(canceled: reasons)
    }

    private init(canceled reasons: [CancellationReason]) {
        let codes = reasons.map(\.code).joined(separator: ", ")
        self.init(
            type: Self.service + "TransactionCanceledException",
            canceledMessage: "Transaction cancelled, please refer cancellation reasons for specific reasons [\(codes)]",
            cancellationReasons: reasons)
    }

    private static func reason(_ request: ProxiedRequest, _ limit: String) -> ThrottlingReason {
        let region = request.region ?? Ministack.region
        return ThrottlingReason(
            reason: "Table\(request.isRead ? "Read" : "Write")\(limit)",
            resource: "arn:aws:dynamodb:\(region):\(Ministack.account):table/\(request.content.table ?? "unknown")")
    }
}
