#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A record of a Kinesis data stream, as Lambda hands it over.
///
/// Source: “Using Lambda to process records from Amazon Kinesis Data Streams” in the AWS Lambda developer guide.
public struct KinesisRecord: Sendable {
    /// The shard and the sequence number: the same in each delivery.
    public let id: String
    /// The place in its shard.
    public let sequenceNumber: String
    /// What the record's shard follows from; records with one key are in one shard.
    public let partitionKey: String
    /// The content.
    public let data: [UInt8]
    /// When it came to the stream, to the millisecond.
    public let time: Date?
    /// The stream's ARN.
    public let streamARN: String

    /// The content, decoded as JSON.
    ///
    /// - Parameter type: The type.
    /// - Returns: The value.
    /// - Throws: `PatternError` with code `poison`, which holds no content.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(PatternError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(data))
        } catch {
            throw PatternError(.poison, "The data of record \(id) is not JSON of the type \(type).")
        }
    }
}

extension KinesisRecord: LambdaRecord {
    static let origin = "a Kinesis data stream"
    static let processor = "a Kinesis processor"
    static let idInLogs = "record.id"
    var itemIdentifier: String { sequenceNumber }
    var isWhole: Bool {
        !sequenceNumber.isEmpty && sequenceNumber.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
            && streamARN.contains(":kinesis:")
    }

    private enum CodingKeys: String, CodingKey {
        case id = "eventID"
        case streamARN = "eventSourceARN"
        case content = "kinesis"
    }

    private struct Content: Decodable {
        let sequenceNumber: String
        let partitionKey: String
        let data: Data
        let approximateArrivalTimestamp: Double?
    }

    /// Decodes one element of `Records` in Lambda's event for Kinesis.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let content = try members.decode(Content.self, forKey: .content)
        id = try members.decode(String.self, forKey: .id)
        streamARN = try members.decode(String.self, forKey: .streamARN)
        sequenceNumber = content.sequenceNumber
        partitionKey = content.partitionKey
        data = [UInt8](content.data)
        time = content.approximateArrivalTimestamp.map(Date.init(timeIntervalSince1970:))
    }
}
