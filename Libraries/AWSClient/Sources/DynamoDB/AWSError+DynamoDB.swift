/// Why one action prevented a transaction; the code is `None` if that action did not.
public struct CancellationReason: Sendable, Hashable, Decodable {
    /// `None`, or such as `ConditionalCheckFailed` and `TransactionConflict`.
    public var code: AWSError.Code
    /// AWS's description of the reason; `nil` for `None`.
    public var message: String?
    /// The item that failed the action's condition, where the action asked for it.
    public var item: [String: AttributeValue]?

    /// Decodes an element of DynamoDB's `CancellationReasons`; an empty item becomes `nil`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = AWSError.Code(rawValue: try container.decodeIfPresent(String.self, forKey: .code) ?? "None")
        message = try container.decodeIfPresent(String.self, forKey: .message)
        let item = try container.decodeIfPresent([String: AttributeValue].self, forKey: .item)
        self.item = item?.isEmpty == true ? nil : item
    }

    private enum CodingKeys: CodingKey { case code, message, item }
}

extension AWSError.Code {
    /// A write's condition did not hold.
    public static let conditionalCheckFailed: AWSError.Code = "ConditionalCheckFailedException"
    /// A transaction was not carried out; see `AWSError.cancellationReasons`.
    public static let transactionCanceled: AWSError.Code = "TransactionCanceledException"
    /// A single write met a transaction that was under way.
    public static let transactionConflict: AWSError.Code = "TransactionConflictException"
    /// The table, stream or shard is not there.
    public static let resourceNotFound: AWSError.Code = "ResourceNotFoundException"
    /// The table exists already, or is being changed.
    public static let resourceInUse: AWSError.Code = "ResourceInUseException"
    /// A policy does not allow the operation, or none does.
    public static let accessDenied: AWSError.Code = "AccessDeniedException"
    /// The request is wrong in itself.
    public static let validation: AWSError.Code = "ValidationException"
}

extension AWSError {
    /// Why a transaction was cancelled: one reason for each action, in their order; empty for all other errors.
    public var cancellationReasons: [CancellationReason] { dynamoDBDetails?.cancellationReasons ?? [] }

    /// The item that failed the condition of a put, update or delete that asked for it; `nil` otherwise.
    public var conditionCheckFailedItem: [String: AttributeValue]? {
        dynamoDBDetails?.item.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What was throttled, such as `TableWriteProvisionedThroughputExceeded`; empty if DynamoDB does not say.
    public var throttlingReasons: [String] {
        dynamoDBDetails?.throttlingReasons?.compactMap(\.reason) ?? []
    }

    /// Whether a transaction was cancelled for nothing but conflicts with others and throttling, so that another try
    /// may help.
    public var isContention: Bool {
        guard code == .transactionCanceled else { return false }
        let reasons = cancellationReasons.map(\.code).filter { $0 != "None" }
        return !reasons.isEmpty && reasons.allSatisfy { Self.contentionReasons.contains($0) }
    }

    private static let contentionReasons: Set<Code> = [
        "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded",
    ]

    private var dynamoDBDetails: DynamoDBErrorDetails? {
        guard !details.isEmpty else { return nil }
        return try? ServiceJSON.value(of: details)
    }
}

private struct DynamoDBErrorDetails: Decodable {
    let cancellationReasons: [CancellationReason]?
    let item: [String: AttributeValue]?
    let throttlingReasons: [ThrottlingReason]?

    struct ThrottlingReason: Decodable {
        let reason: String?
        let resource: String?
    }
}
