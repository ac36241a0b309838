#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import NIOHTTP1

extension Ministack {
    /// Makes a queue.
    ///
    /// - Parameter name: Of letters, digits, `-` and `_`; one that ends with `.fifo` makes a FIFO queue.
    /// - Returns: The queue's URL.
    /// - Throws: `AWSTestError` with ministack's answer, such as that the name cannot be one.
    public func createQueue(_ name: String) async throws -> String {
        let attributes = name.hasSuffix(".fifo") ? ["FifoQueue": "true"] : [:]
        let answer = try await messaging(
            "sqs", "AmazonSQS.CreateQueue", .object(["QueueName": .text(name), "Attributes": .texts(attributes)]))
        return try field("QueueUrl", of: answer)
    }

    /// Makes a topic.
    ///
    /// - Parameter name: Of letters, digits, `-` and `_`; one that ends with `.fifo` makes a FIFO topic.
    /// - Returns: The topic's ARN.
    /// - Throws: `AWSTestError` with ministack's answer, such as that the name cannot be one.
    public func createTopic(_ name: String) async throws -> String {
        let fifo = ["Attributes.entry.1.key": "FifoTopic", "Attributes.entry.1.value": "true"]
        let parameters = ["Name": name].merging(name.hasSuffix(".fifo") ? fifo : [:]) { $1 }
        let arn = "arn:aws:sns:\(Self.region):\(Self.account):\(name)"
        let answer = try await sns("CreateTopic", parameters)
        guard answer.contains("<TopicArn>\(arn)</TopicArn>") else {
            throw AWSTestError("ministack made no topic “\(name)”, but answered: \(answer)")
        }
        return arn
    }

    /// Has a queue get what is published to a topic.
    ///
    /// - Parameters:
    ///   - topicARN: The topic.
    ///   - queueURL: The queue; a FIFO topic needs a FIFO queue to keep its order.
    ///   - raw: Whether messages come as they are, with their attributes; otherwise each comes as JSON that has the
    ///     message, its subject and attributes as members.
    /// - Throws: `AWSTestError` with ministack's answer, such as that there is no such topic.
    public func subscribe(_ topicARN: String, to queueURL: String, raw: Bool = false) async throws {
        let delivery = ["Attributes.entry.1.key": "RawMessageDelivery", "Attributes.entry.1.value": "\(raw)"]
        let parameters = ["TopicArn": topicARN, "Protocol": "sqs", "Endpoint": arn(ofQueue: queueURL)]
        _ = try await sns("Subscribe", parameters.merging(delivery) { $1 })
    }

    /// Makes an event bus.
    ///
    /// - Parameter name: A name that no other bus has.
    /// - Returns: The bus's ARN.
    /// - Throws: `AWSTestError` with ministack's answer, such as that there is one.
    public func createBus(_ name: String) async throws -> String {
        try field(
            "EventBusArn", of: try await messaging("events", "AWSEvents.CreateEventBus", .texts(["Name": name])))
    }

    /// Has a queue get the events of a bus that match a pattern.
    ///
    /// - Parameters:
    ///   - name: The rule's name.
    ///   - bus: The bus's name.
    ///   - pattern: JSON, such as `{"source":["discfg"]}`.
    ///   - queueURL: The queue.
    /// - Throws: `AWSTestError` with ministack's answer, such as that there is no such bus.
    public func createRule(_ name: String, on bus: String, pattern: String, to queueURL: String) async throws {
        _ = try await messaging(
            "events", "AWSEvents.PutRule", .texts(["Name": name, "EventBusName": bus, "EventPattern": pattern]))
        let target = JSON.texts(["Id": "queue", "Arn": arn(ofQueue: queueURL)])
        _ = try await messaging(
            "events", "AWSEvents.PutTargets",
            .object(["Rule": .text(name), "EventBusName": .text(bus), "Targets": .list([target])]))
    }

    /// Takes up to ten messages out of a queue, for good.
    ///
    /// - Parameters:
    ///   - queueURL: The queue.
    ///   - seconds: How long to wait for the first one, up to 9; an answer takes no longer than ten.
    /// - Returns: The messages' texts in the order of the queue; none if it stayed empty.
    /// - Throws: `AWSTestError` with ministack's answer, such as that there is no such queue.
    public func messages(in queueURL: String, waiting seconds: Int = 0) async throws -> [String] {
        let answer = try await messaging(
            "sqs", "AmazonSQS.ReceiveMessage",
            .object([
                "QueueUrl": .text(queueURL), "MaxNumberOfMessages": .number(10), "WaitTimeSeconds": .number(seconds),
            ]))
        let messages = try JSONDecoder().decode(Received.self, from: Data(answer.utf8)).messages ?? []
        for message in messages {
            _ = try await messaging(
                "sqs", "AmazonSQS.DeleteMessage",
                .texts(["QueueUrl": queueURL, "ReceiptHandle": message.receiptHandle]))
        }
        return messages.map(\.body)
    }

    private func arn(ofQueue url: String) -> String {
        "arn:aws:sqs:\(Self.region):\(Self.account):\(url.split(separator: "/").last ?? "")"
    }

    /// Calls a JSON API as the account itself.
    private func messaging(_ service: String, _ target: String, _ body: JSON) async throws -> String {
        let json = try JSONEncoder().encode(body)
        return try await send(
            .POST, "/",
            [
                "Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": target,
                "Authorization": authorization(for: service),
            ], String(decoding: json, as: UTF8.self))
    }

    /// Calls the query API of SNS as the account itself; names and ARNs stand in a form as they are.
    private func sns(_ action: String, _ parameters: [String: String]) async throws -> String {
        let all = parameters.merging(["Action": action, "Version": "2010-03-31"]) { $1 }
        return try await send(
            .POST, "/",
            [
                "Content-Type": "application/x-www-form-urlencoded", "Authorization": authorization(for: "sns"),
            ], all.map { "\($0.key)=\($0.value)" }.joined(separator: "&"))
    }

    /// That a request is signed must be seen, and for which service; the account's own signature is not checked.
    private func authorization(for service: String) -> String {
        "AWS4-HMAC-SHA256 Credential=\(Self.rootKey.id)/20260101/\(Self.region)/\(service)/aws4_request, "
            + "SignedHeaders=host, Signature=0"
    }
}

/// A text member of an answer.
private func field(_ name: String, of json: String) throws -> String {
    let members = try? JSONDecoder().decode([String: String].self, from: Data(json.utf8))
    guard let text = members?[name] else { throw AWSTestError("ministack answered without “\(name)”: \(json)") }
    return text
}

/// The part of an answer that says what was received.
private struct Received: Decodable {
    let messages: [Message]?

    struct Message: Decodable {
        let receiptHandle: String
        let body: String

        private enum CodingKeys: String, CodingKey {
            case receiptHandle = "ReceiptHandle"
            case body = "Body"
        }
    }

    private enum CodingKeys: String, CodingKey { case messages = "Messages" }
}

/// As much of JSON as requests here have.
private indirect enum JSON: Encodable {
    case text(String)
    case number(Int)
    case list([JSON])
    case object([String: JSON])

    static func texts(_ members: [String: String]) -> JSON { .object(members.mapValues(JSON.text)) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .list(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}
