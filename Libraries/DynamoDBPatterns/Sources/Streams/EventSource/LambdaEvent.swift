import AWSClient

/// The event that Lambda hands to a function for records of a DynamoDB stream.
enum LambdaEvent {
    /// The event's JSON from that of its records.
    static func json(of records: [[UInt8]]) -> [UInt8] {
        Array(#"{"Records":["#.utf8) + records.joined(separator: [UInt8(ascii: ",")]) + Array("]}".utf8)
    }

    /// One record as Lambda spells it; the stream's ARN where the record has none itself.
    static func object(of record: StreamRecord, stream: String? = nil) -> AttributeValue {
        var members: [String: AttributeValue] = ["eventSource": .string("aws:dynamodb")]
        members["eventID"] = record.eventID.map(AttributeValue.string)
        members["eventName"] = record.eventName.map { .string($0.rawValue) }
        members["eventVersion"] = .string(record.eventVersion ?? "1.1")
        members["awsRegion"] = (record.awsRegion ?? region(of: stream)).map(AttributeValue.string)
        members["eventSourceARN"] = (record.eventSourceARN ?? stream).map(AttributeValue.string)
        members["dynamodb"] = record.change.map(object)
        if let identity = record.userIdentity {
            var who: [String: AttributeValue] = [:]
            who["principalId"] = identity.principalID.map(AttributeValue.string)
            who["type"] = identity.type.map(AttributeValue.string)
            members["userIdentity"] = .map(who)
        }
        return .map(members)
    }

    private static func object(of change: StreamRecord.Change) -> AttributeValue {
        var members: [String: AttributeValue] = [:]
        members["ApproximateCreationDateTime"] = change.approximateCreationDateTime.map(number)
        members["Keys"] = change.keys.map(image)
        members["NewImage"] = change.newImage.map(image)
        members["OldImage"] = change.oldImage.map(image)
        members["SequenceNumber"] = change.sequenceNumber.map(AttributeValue.string)
        members["SizeBytes"] = change.sizeBytes.map { .integer($0) }
        members["StreamViewType"] = change.streamViewType.map { .string($0.rawValue) }
        return .map(members)
    }

    private static func image(_ attributes: [String: AttributeValue]) -> AttributeValue {
        .map(attributes.mapValues(\.wire))
    }

    /// Whole seconds are written as such.
    private static func number(_ value: Double) -> AttributeValue {
        Int64(exactly: value).map { .integer($0) } ?? .number(String(value))
    }

    /// The region in an ARN such as `arn:aws:dynamodb:eu-west-1:…`.
    private static func region(of stream: String?) -> String? {
        guard let parts = stream?.split(separator: ":", omittingEmptySubsequences: false), parts.count > 5 else {
            return nil
        }
        return String(parts[3])
    }
}
