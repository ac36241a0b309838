/// Whether an answer says what the request cost.
public enum ReturnConsumedCapacity: String, Sendable, Codable {
    /// For each table, and for each of its indexes.
    case indexes = "INDEXES"
    /// For each table.
    case total = "TOTAL"
    case none = "NONE"
}

/// Which attributes of the item a write brings back.
public enum ReturnValues: String, Sendable, Codable {
    case none = "NONE"
    /// All, as they were before.
    case allOld = "ALL_OLD"
    /// Those that were changed, as they were before; for updates only.
    case updatedOld = "UPDATED_OLD"
    /// All, as they are now; for updates only.
    case allNew = "ALL_NEW"
    /// Those that were changed, as they are now; for updates only.
    case updatedNew = "UPDATED_NEW"
}

/// Whether a failed condition brings back the item that failed it.
public enum ReturnValuesOnConditionCheckFailure: String, Sendable, Codable {
    case allOld = "ALL_OLD"
    case none = "NONE"
}

/// What a query or scan brings back.
public enum Select: String, Sendable, Codable {
    case allAttributes = "ALL_ATTRIBUTES"
    case allProjectedAttributes = "ALL_PROJECTED_ATTRIBUTES"
    case specificAttributes = "SPECIFIC_ATTRIBUTES"
    /// Only how many there are.
    case count = "COUNT"
}
