// What SQS's JSON has in other shapes than our types.

/// An attribute of a message; a binary one has no text.
struct MessageAttribute: Codable {
    let dataType: String
    let stringValue: String?
}

/// The request `SendMessage`.
struct SendMessage: Encodable {
    let queueUrl: String
    let messageBody: String
    let messageAttributes: [String: MessageAttribute]?
    let messageGroupId: String?
    let messageDeduplicationId: String?

    init(_ request: SendMessageRequest) {
        queueUrl = request.queueURL
        messageBody = request.messageBody
        let attributes = request.messageAttributes.mapValues { MessageAttribute(dataType: "String", stringValue: $0) }
        messageAttributes = attributes.isEmpty ? nil : attributes
        messageGroupId = request.messageGroupID
        messageDeduplicationId = request.messageDeduplicationID
    }
}

/// The request `ReceiveMessage`, for all that is known of the messages.
struct ReceiveMessage: Encodable {
    let queueUrl: String
    let maxNumberOfMessages: Int
    let waitTimeSeconds: Int64
    var messageAttributeNames = ["All"]
    var messageSystemAttributeNames = ["All"]
}

/// The answer to `ReceiveMessage`.
struct ReceivedMessages: Decodable {
    let messages: [Message]?

    /// One message.
    struct Message: Decodable {
        let messageId: String
        let receiptHandle: String
        let body: String
        let attributes: [String: String]?
        let messageAttributes: [String: MessageAttribute]?
    }
}

extension ReceivedMessage {
    init(_ message: ReceivedMessages.Message) {
        messageID = message.messageId
        receiptHandle = message.receiptHandle
        body = message.body
        messageAttributes = (message.messageAttributes ?? [:]).compactMapValues(\.stringValue)
        systemAttributes = message.attributes ?? [:]
    }
}

/// The request `DeleteMessage`.
struct DeleteMessage: Encodable {
    let queueUrl: String
    let receiptHandle: String
}
