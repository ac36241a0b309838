import AWSClient

@testable import DynamoDBPatterns

extension StreamRecord {
    /// A record as Lambda would have it.
    static func made(
        _ name: EventName, keys: [String: AttributeValue], old: [String: AttributeValue]? = nil,
        new: [String: AttributeValue]? = nil, expired: Bool = false, sequence: Int = 1
    ) throws -> StreamRecord {
        var change: [String: AttributeValue] = [
            "Keys": .map(keys.mapValues(\.wire)), "SequenceNumber": .string(String(sequence)),
            "ApproximateCreationDateTime": .integer(1_700_000_000), "SizeBytes": .integer(26),
            "StreamViewType": .string("NEW_AND_OLD_IMAGES"),
        ]
        change["OldImage"] = old.map { .map($0.mapValues(\.wire)) }
        change["NewImage"] = new.map { .map($0.mapValues(\.wire)) }
        var record: [String: AttributeValue] = [
            "eventID": .string("e\(sequence)"), "eventName": .string(name.rawValue), "dynamodb": .map(change),
        ]
        if expired {
            record["userIdentity"] = .map([
                "principalId": .string("dynamodb.amazonaws.com"), "type": .string("Service"),
            ])
        }
        let event = JSONWriter.bytes(of: .map(["Records": .list([.map(record)])]))
        return try DynamoDBStreams.records(ofLambdaEvent: event)[0]
    }
}
