public import AWSClient

/// Sends dead letters to an SQS queue, as JSON with the record as a member `record`.
///
/// A FIFO queue gets them in one group for each processor, and drops a letter that comes twice within five minutes. The
/// images are left out of a record with which the message would be longer than every queue takes (256 KiB): `keys` and
/// the sequence number remain, and a member `isShortened`.
public struct QueueDeadLetters: DeadLetterTarget {
    private let queue: SQS
    private let queueURL: String

    /// The dead letters in a queue.
    ///
    /// - Parameters:
    ///   - queueURL: Such as `https://sqs.eu-west-1.amazonaws.com/123456789012/dead-letters`.
    ///   - queue: The queues of its region.
    public init(_ queueURL: String, in queue: SQS) {
        self.queue = queue
        self.queueURL = queueURL
    }

    /// Sends one message; throws the `AWSError` of SQS.
    public func take(_ letter: DeadLetter) async throws {
        let isOrdered = queueURL.hasSuffix(".fifo")
        _ = try await queue.sendMessage(
            SendMessageRequest(
                queueURL: queueURL, messageBody: try Self.body(of: letter),
                messageGroupID: isOrdered ? letter.processor : nil,
                messageDeduplicationID: isOrdered ? Self.deduplicationID(of: letter) : nil))
    }

    /// What names a letter in all of a queue, where several processors may bury one record: up to 128 characters.
    static func deduplicationID(of letter: DeadLetter) -> String {
        let isPlain = letter.id.utf8.count <= 60 && letter.id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return letter.processor + "/" + (isPlain ? letter.id : String(StableHash.of(letter.id), radix: 16))
    }

    /// The message of a letter.
    static func body(of letter: DeadLetter) throws -> String {
        let text = escaped(try letter.json())
        guard text.utf8.count > MessageSize.always else { return text }
        var short = letter
        var record = try letter.record()
        record.change?.newImage = nil
        record.change?.oldImage = nil
        short.recordJSON = record.json()
        return escaped(try short.json(isShortened: true))
    }

    /// The same JSON without the two characters that SQS refuses although they are text.
    private static func escaped(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: { $0 == "\u{FFFE}" || $0 == "\u{FFFF}" }) else { return json }
        return json.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\u{FFFE}": text += "\\uFFFE"
            case "\u{FFFF}": text += "\\uFFFF"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
