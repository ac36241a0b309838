/// One change of one item.
///
/// Reads what the streams' API answers, and what Lambda hands to functions: they spell some names differently.
public struct StreamRecord: Sendable, Decodable {
    /// The same however often the record is delivered.
    public var eventID: String?
    /// Whether the item was inserted, modified or removed.
    public var eventName: EventName?
    /// The version of the record's format, such as `1.1`; AWS increases it when fields are added.
    public var eventVersion: String?
    /// The region in which the record was received, such as `eu-west-1`.
    public var awsRegion: String?
    /// The stream, in records for Lambda.
    public var eventSourceARN: String?
    /// What was changed.
    public var change: Change?
    /// The service that changed the item, `nil` if a caller did: `dynamodb.amazonaws.com` for items that expired.
    public var userIdentity: Identity?

    /// A record in which everything is `nil`, for tests.
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
    /// Whether an item was inserted, modified or removed.
    public struct EventName: RawRepresentable, Sendable, Hashable, Codable {
        /// AWS's name of the event; names newer than this library are kept.
        public var rawValue: String
        /// Wraps AWS's name of a value, which need not be one of the constants here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An item was added.
        public static let insert = EventName(rawValue: "INSERT")
        /// One or more attributes of an item were changed.
        public static let modify = EventName(rawValue: "MODIFY")
        /// An item was deleted, by a request or because it expired.
        public static let remove = EventName(rawValue: "REMOVE")
    }

    /// The item before and after, as far as the stream's view has them.
    public struct Change: Sendable, Decodable {
        /// Seconds since 1970, to the second at best.
        public var approximateCreationDateTime: Double?
        /// The key attributes of the changed item.
        public var keys: [String: AttributeValue]?
        /// The item after the change; `nil` if it was removed, or if the view does not include it.
        public var newImage: [String: AttributeValue]?
        /// The item before the change; `nil` if it was inserted, or if the view does not include it.
        public var oldImage: [String: AttributeValue]?
        /// Grows within a shard; compare by `Shard`'s order only.
        public var sequenceNumber: String?
        /// The size of the record in bytes.
        public var sizeBytes: Int?
        /// Which of the images the record contains.
        public var streamViewType: StreamViewType?

        /// A change in which everything is `nil`, for tests.
        public init() {}
    }

    /// Who made a change, if that was AWS itself.
    public struct Identity: Sendable, Hashable, Decodable {
        /// Such as `dynamodb.amazonaws.com`.
        public var principalID: String?
        /// Such as `Service`.
        public var type: String?

        /// An identity in which everything is `nil`, for tests.
        public init() {}

        private enum CodingKeys: String, CodingKey {
            case principalID = "principalId"
            case type
        }
    }
}
