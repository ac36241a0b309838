/// Amazon SNS: messages to the subscribers of a topic.
///
/// Calls throw `AWSError`, whose `mayHaveTakenEffect` says whether a message that failed may have been published all
/// the same, or `CancellationError`, after which that is unknown. A try whose answer was lost is sent again, so
/// subscribers can get a message twice; a FIFO topic drops the second if both have one deduplication id.
/// Source: the Amazon Simple Notification Service API Reference, version 2010-03-31.
public struct SNS: Sendable {
    let client: AWSClient

    /// The topics in the client's region.
    public init(_ client: AWSClient) { self.client = client }

    /// Sends a message to a topic, which passes it on to its subscribers.
    ///
    /// - Parameter request: The topic, which must be one of the client's region, and the message.
    /// - Returns: What AWS calls the message.
    /// - Throws: `AWSError` with AWS's own code, such as `NotFound`; with code `invalidRequest`, before anything was
    ///   sent, if the ARN is not a topic's, the topic is in another region, or the message is longer than
    ///   `MessageSize.maximum`.
    public func publish(_ request: PublishRequest) async throws -> PublishResponse {
        try check(request)
        let call = ServiceCall(
            query: .sns, operation: "Publish", version: "2010-03-31", parameters: request.parameters, isWrite: true)
        let answer = try await client.call(call)
        guard let result = XMLElement.parse(answer.body)?.child("PublishResult"),
            let messageID = result.text(at: "MessageId")
        else {
            throw AWSError(
                .invalidAnswer, "The answer to Publish is not as Amazon SNS writes it.",
                hint: "Is the endpoint another server?", status: answer.status, requestID: answer.requestID,
                mayHaveTakenEffect: true)
        }
        return PublishResponse(messageID: messageID, sequenceNumber: result.text(at: "SequenceNumber"))
    }

    private func check(_ request: PublishRequest) throws(AWSError) {
        // A subscription's ARN has a seventh part.
        guard let topic = ARN(request.topicARN), topic.service == "sns", !topic.resource.contains(":") else {
            throw AWSError(
                .invalidRequest, "\(Quoted(request.topicARN)) is not the ARN of a topic.",
                hint: "Write it as arn:aws:sns:REGION:ACCOUNT:NAME.")
        }
        try client.checkRegion(topic.region, of: "topic", named: request.topicARN)
        try MessageSize.check(request.size, of: "A message", takenBy: "topic")
    }
}
