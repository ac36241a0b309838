/// Amazon SQS: queues of messages.
///
/// The URL of a queue selects the queue, not the server that is asked: that is the client's endpoint. Calls throw
/// `AWSError`, whose `mayHaveTakenEffect` says whether a message that failed may have been sent all the same, or
/// `CancellationError`, after which that is unknown. A try whose answer was lost is sent again, so a message can be in
/// the queue twice; a FIFO queue drops the second where both have one deduplication id.
/// Source: the Amazon Simple Queue Service API Reference, version 2012-11-05.
public struct SQS: Sendable {
    let client: AWSClient

    /// The queues in the client's region.
    public init(_ client: AWSClient) { self.client = client }

    /// Sends a message to a queue.
    ///
    /// - Parameter request: The queue, which must be one of the client's region, and the message.
    /// - Returns: What AWS calls the message.
    /// - Throws: `AWSError` with AWS's own code, such as `QueueDoesNotExist`; with code `invalidRequest`, before
    ///   anything was sent, where the URL is none, the queue is in another region, or the message is longer than
    ///   `MessageSize.maximum`.
    public func sendMessage(_ request: SendMessageRequest) async throws -> SendMessageResponse {
        try MessageSize.check(request.size, of: "A message", takenBy: "queue")
        return try await call("SendMessage", SendMessage(request), queueURL: request.queueURL, isWrite: true)
    }

    /// Takes messages out of a queue for a while: those that are not deleted by then come back.
    ///
    /// - Parameters:
    ///   - queueURL: Of a queue in the client's region.
    ///   - count: How many there may be, from 1 to 10; there may be fewer, although the queue has more.
    ///   - wait: How long to wait for the first message, in whole seconds up to 20.
    /// - Returns: The messages; from a FIFO queue, those of one group in their order.
    /// - Throws: `AWSError` with AWS's own code, such as `QueueDoesNotExist`.
    public func receiveMessages(
        from queueURL: String, atMost count: Int = 10, wait: Duration = .zero
    ) async throws -> [ReceivedMessage] {
        let request = ReceiveMessage(
            queueUrl: queueURL, maxNumberOfMessages: count, waitTimeSeconds: wait.components.seconds)
        // No write: messages whose answer was lost come back by themselves.
        let answer: ReceivedMessages = try await call(
            "ReceiveMessage", request, queueURL: queueURL, isWrite: false,
            timeout: client.options.timeouts.request + wait)
        return (answer.messages ?? []).map(ReceivedMessage.init)
    }

    /// Deletes a message that was received.
    ///
    /// - Parameters:
    ///   - receiptHandle: Of the last time that it was received.
    ///   - queueURL: Of the queue that it was received from.
    /// - Throws: `AWSError` with AWS's own code, such as `ReceiptHandleIsInvalid`.
    public func deleteMessage(_ receiptHandle: String, from queueURL: String) async throws {
        let request = DeleteMessage(queueUrl: queueURL, receiptHandle: receiptHandle)
        let _: NoAnswer = try await call("DeleteMessage", request, queueURL: queueURL, isWrite: true)
    }

    private func call<Response: Decodable>(
        _ operation: String, _ request: some Encodable, queueURL: String, isWrite: Bool, timeout: Duration? = nil
    ) async throws -> Response {
        try check(queueURL)
        var call = ServiceCall(
            json: .sqs, targetPrefix: "AmazonSQS", operation: operation,
            body: try ServiceJSON.bytes(of: request, operation: operation), isWrite: isWrite)
        call.timeout = timeout
        let answer = try await client.call(call)
        return try ServiceJSON.value(of: answer, for: call)
    }

    private func check(_ queueURL: String) throws(AWSError) {
        guard let url = try? AWSEndpoint(queueURL, setting: "The queue"), url.path != "/" else {
            // A user and a password may stand before an at sign, and a key in a query.
            let shown = queueURL.contains { "@?".contains($0) } ? "What was given" : "\(Quoted(queueURL))"
            throw AWSError(
                .invalidRequest, "\(shown) is not the URL of a queue.",
                hint: "Write it as https://sqs.REGION.amazonaws.com/ACCOUNT/NAME.")
        }
        // Only AWS's own hosts name a region.
        guard let label = url.host.split(separator: ".").dropFirst().first, let region = try? AWSRegion(String(label)),
            AWSEndpoint(.sqs, in: region).host == url.host
        else { return }
        try client.checkRegion(region.name, of: "queue", named: queueURL)
    }
}

/// An answer of which nothing is needed.
private struct NoAnswer: Decodable {}
