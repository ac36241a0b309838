/// Publishes a message to a topic.
public struct PublishRequest: Sendable {
    /// Such as `arn:aws:sns:eu-west-1:123456789012:changes`; the name of a FIFO topic ends with `.fifo`.
    public var topicARN: String
    /// Any text but the empty one, without control characters other than tab and line ends.
    public var message: String
    /// Of an email; up to 100 characters on one line.
    public var subject: String?
    /// Names and texts, by which subscriptions can filter; none of them may be empty.
    public var messageAttributes: [String: String]
    /// FIFO topics keep the order of messages of one group; they need it.
    public var messageGroupID: String?
    /// FIFO topics drop messages with an id that they had within five minutes; they need it unless the topic takes the
    /// message's content for it.
    public var messageDeduplicationID: String?

    /// A message for a topic; a FIFO topic requires a group.
    public init(
        topicARN: String, message: String, subject: String? = nil, messageAttributes: [String: String] = [:],
        messageGroupID: String? = nil, messageDeduplicationID: String? = nil
    ) {
        self.topicARN = topicARN
        self.message = message
        self.subject = subject
        self.messageAttributes = messageAttributes
        self.messageGroupID = messageGroupID
        self.messageDeduplicationID = messageDeduplicationID
    }

    /// How many bytes count against the topic's limit: see `MessageSize`.
    public var size: Int { MessageSize.of(message, attributes: messageAttributes) }

    /// As the query protocol has them; attributes in the order of their names.
    var parameters: [(String, String)] {
        var parameters = [("TopicArn", topicARN), ("Message", message)]
        if let subject { parameters.append(("Subject", subject)) }
        for (index, (name, value)) in messageAttributes.sorted(by: { $0.key < $1.key }).enumerated() {
            let entry = "MessageAttributes.entry.\(index + 1)"
            parameters += [
                ("\(entry).Name", name), ("\(entry).Value.DataType", "String"), ("\(entry).Value.StringValue", value),
            ]
        }
        if let messageGroupID { parameters.append(("MessageGroupId", messageGroupID)) }
        if let messageDeduplicationID { parameters.append(("MessageDeduplicationId", messageDeduplicationID)) }
        return parameters
    }
}

/// The identity of a message that a topic accepted.
public struct PublishResponse: Sendable, Hashable {
    /// The identity that AWS gave the message.
    public var messageID: String
    /// Grows within a FIFO topic, by more than one; `nil` from others.
    public var sequenceNumber: String?
}
