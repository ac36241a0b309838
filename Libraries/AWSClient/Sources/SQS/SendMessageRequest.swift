/// Sends a message to a queue.
public struct SendMessageRequest: Sendable {
    /// Such as `https://sqs.eu-west-1.amazonaws.com/123456789012/changes`; the name of a FIFO queue ends with `.fifo`.
    public var queueURL: String
    /// Any text but the empty one, without control characters other than tab and line ends.
    public var messageBody: String
    /// Names and texts, up to ten; none of them may be empty.
    public var messageAttributes: [String: String]
    /// FIFO queues keep the order of messages of one group; they need it.
    public var messageGroupID: String?
    /// FIFO queues drop messages with an id that they had within five minutes; they need it unless the queue takes the
    /// message's content for it.
    public var messageDeduplicationID: String?

    /// A message for a queue; a FIFO queue requires a group.
    public init(
        queueURL: String, messageBody: String, messageAttributes: [String: String] = [:],
        messageGroupID: String? = nil, messageDeduplicationID: String? = nil
    ) {
        self.queueURL = queueURL
        self.messageBody = messageBody
        self.messageAttributes = messageAttributes
        self.messageGroupID = messageGroupID
        self.messageDeduplicationID = messageDeduplicationID
    }

    /// How many bytes count against the queue's limit: see `MessageSize`.
    public var size: Int { MessageSize.of(messageBody, attributes: messageAttributes) }
}

/// The identity of a message that a queue accepted.
public struct SendMessageResponse: Sendable, Hashable, Decodable {
    /// The identity that AWS gave the message.
    public var messageID: String
    /// Grows within a FIFO queue, by more than one; `nil` from others.
    public var sequenceNumber: String?

    private enum CodingKeys: String, CodingKey {
        case messageID = "messageId"
        case sequenceNumber
    }
}

/// A message that was received from a queue.
public struct ReceivedMessage: Sendable, Hashable {
    /// The identity that AWS gave the message; the same each time it is received.
    public var messageID: String
    /// The handle for `deleteMessage`; another one is valid after the message is received again.
    public var receiptHandle: String
    /// The text that was sent, up to 1 MiB.
    public var body: String
    /// The attributes that it was sent with, as far as they are text.
    public var messageAttributes: [String: String]
    /// AWS's attributes of the message, such as `MessageGroupId`, `SequenceNumber` and `ApproximateReceiveCount`.
    public var systemAttributes: [String: String]
}
