/// One change of one item.
///
/// Reads what the streams' API answers, and what Lambda hands to functions: they spell some names differently.
public struct StreamRecord: Sendable, Decodable {
    /// The same however often the record is delivered.
    public var eventID: String?
    public var eventName: EventName?
    public var eventVersion: String?
    public var awsRegion: String?
    /// The stream, in records for Lambda.
    public var eventSourceARN: String?
    /// What was changed.
    public var change: Change?
    /// Who changed it, where that was not a caller: `dynamodb.amazonaws.com` for items that expired.
    public var userIdentity: Identity?

    public init() {}

    private enum CodingKeys: String, CodingKey {
        case eventID
        case eventName
        case eventVersion
        case awsRegion
        case eventSourceARN
        case change = "dynamodb"
        case userIdentity
    }
}

extension StreamRecord {
    /// What happened to the item.
    public struct EventName: RawRepresentable, Sendable, Hashable, Codable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let insert = EventName(rawValue: "INSERT")
        public static let modify = EventName(rawValue: "MODIFY")
        public static let remove = EventName(rawValue: "REMOVE")
    }

    /// The item before and after, as far as the stream's view has them.
    public struct Change: Sendable, Decodable {
        /// Seconds since 1970, to the second at best.
        public var approximateCreationDateTime: Double?
        public var keys: [String: AttributeValue]?
        public var newImage: [String: AttributeValue]?
        public var oldImage: [String: AttributeValue]?
        /// Grows within a shard; compare by `Shard`'s order only.
        public var sequenceNumber: String?
        public var sizeBytes: Int?
        public var streamViewType: StreamViewType?

        public init() {}
    }

    /// Who made a change, where that was AWS itself.
    public struct Identity: Sendable, Hashable, Decodable {
        /// Such as `dynamodb.amazonaws.com`.
        public var principalID: String?
        /// Such as `Service`.
        public var type: String?

        public init() {}

        private enum CodingKeys: String, CodingKey {
            case principalID = "principalId"
            case type
        }
    }
}
