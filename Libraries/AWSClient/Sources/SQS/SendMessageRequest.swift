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

/// What became of a message that a queue took.
public struct SendMessageResponse: Sendable, Hashable, Decodable {
    /// What AWS calls it.
    public var messageID: String
    /// Grows within a FIFO queue, by more than one; `nil` from others.
    public var sequenceNumber: String?

    private enum CodingKeys: String, CodingKey {
        case messageID = "messageId"
        case sequenceNumber
    }
}

/// A message that a queue has handed out.
public struct ReceivedMessage: Sendable, Hashable {
    /// What AWS calls it, however often it is received.
    public var messageID: String
    /// What deletes it, as long as it is not received again.
    public var receiptHandle: String
    public var body: String
    /// The attributes that it was sent with, as far as they are text.
    public var messageAttributes: [String: String]
    /// What AWS says of it, such as `MessageGroupId`, `SequenceNumber` and `ApproximateReceiveCount`.
    public var systemAttributes: [String: String]
}
