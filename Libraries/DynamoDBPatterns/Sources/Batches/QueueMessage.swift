#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A message of an SQS queue, as Lambda hands it over.
///
/// Source: “Using Lambda with Amazon SQS” in the AWS Lambda developer guide.
public struct QueueMessage: Sendable {
    /// The queue's identity of the message: the same in each delivery, another one if the sender sends it again.
    public let id: String
    /// The content.
    public let body: String
    /// The queue's attributes of the message, such as `ApproximateReceiveCount`.
    public let attributes: [String: String]
    /// The sender's attributes that are text or numbers.
    public let messageAttributes: [String: String]
    /// The queue's ARN.
    public let queueARN: String

    /// How often the message was delivered, this time included, as far as the queue knows; 1 if it does not say.
    public var receiveCount: Int { attributes["ApproximateReceiveCount"].flatMap { Int($0) } ?? 1 }
    /// The group of the message; a standard queue, too, may have groups, which have no order there.
    public var groupID: String? { attributes["MessageGroupId"] }
    /// When the message was sent, by SQS's clock.
    public var sent: Date? {
        attributes["SentTimestamp"].flatMap { Int64($0) }.map { Date(milliseconds: $0) }
    }
    /// Whether the queue keeps the order of each group.
    public var isOrdered: Bool { queueARN.hasSuffix(".fifo") }

    /// The body, decoded as JSON.
    ///
    /// - Parameter type: The type.
    /// - Returns: The value.
    /// - Throws: `PatternError` with code `poison`, which holds no content.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(PatternError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(body.utf8))
        } catch {
            throw PatternError(.poison, "The body of a message is not JSON of the type \(type).")
        }
    }
}

extension QueueMessage: LambdaRecord {
    static let origin = "an SQS queue"
    static let processor = "a queue processor"
    static let idInLogs = "message.id"
    var itemIdentifier: String { id }
    var isWhole: Bool { !id.isEmpty && queueARN.contains(":sqs:") }

    private enum CodingKeys: String, CodingKey {
        case id = "messageId"
        case body, attributes, messageAttributes
        case queueARN = "eventSourceARN"
    }

    private struct MessageAttribute: Decodable { let stringValue: String? }

    /// Decodes one element of `Records` in Lambda's event for SQS.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        body = try members.decode(String.self, forKey: .body)
        attributes = try members.decodeIfPresent([String: String].self, forKey: .attributes) ?? [:]
        queueARN = try members.decode(String.self, forKey: .queueARN)
        let sent = try members.decodeIfPresent([String: MessageAttribute].self, forKey: .messageAttributes)
        messageAttributes = (sent ?? [:]).compactMapValues(\.stringValue)
    }
}
