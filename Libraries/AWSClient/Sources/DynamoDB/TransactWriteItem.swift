/// One action of a writing transaction; no two actions of a transaction may name the same item.
public enum TransactWriteItem: Sendable, Encodable {
    case put(Put)
    case update(Update)
    case delete(Delete)
    case conditionCheck(ConditionCheck)

    /// Encodes DynamoDB's form: an object with one member, such as `Put`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .put(let put): try container.encode(put, forKey: .put)
        case .update(let update): try container.encode(update, forKey: .update)
        case .delete(let delete): try container.encode(delete, forKey: .delete)
        case .conditionCheck(let check): try container.encode(check, forKey: .conditionCheck)
        }
    }

    private enum CodingKeys: CodingKey { case put, update, delete, conditionCheck }
}
