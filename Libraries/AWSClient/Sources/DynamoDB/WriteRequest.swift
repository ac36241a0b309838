/// One write of a batch.
public enum WriteRequest: Sendable, Codable {
    /// Stores this item in place of the one with the same key.
    case put([String: AttributeValue])
    /// Deletes the item with this key.
    case delete([String: AttributeValue])

    /// Decodes DynamoDB's form, as in `unprocessedItems`; throws a `DecodingError` if it is neither a put nor a delete.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        typealias Wrapped = [String: [String: AttributeValue]]
        if let item = try container.decodeIfPresent(Wrapped.self, forKey: .putRequest)?["Item"] {
            self = .put(item)
        } else {
            self = .delete(try container.decode(Wrapped.self, forKey: .deleteRequest)["Key"] ?? [:])
        }
    }

    /// Encodes DynamoDB's form: an object with the member `PutRequest` or `DeleteRequest`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .put(let item): try container.encode(["Item": item], forKey: .putRequest)
        case .delete(let key): try container.encode(["Key": key], forKey: .deleteRequest)
        }
    }

    private enum CodingKeys: CodingKey { case putRequest, deleteRequest }
}
