import AWSClient

/// What has to hold for a write to be carried out.
indirect enum Condition: Sendable {
    case exists(String)
    case absent(String)
    case equals(String, AttributeValue)
    case differs(String, AttributeValue)
    case less(String, AttributeValue)
    case atMost(String, AttributeValue)
    case greater(String, AttributeValue)
    case all([Condition])
    case any([Condition])
}

/// The names and values for which an expression has placeholders: `#0`, `#1`; `:0`, `:1`.
///
/// Placeholders keep every attribute's name legal, whatever words DynamoDB reserves.
struct Placeholders: Sendable {
    private(set) var names: [String: String] = [:]
    private(set) var values: [String: AttributeValue] = [:]
    private var known: [String: String] = [:]

    /// The placeholder of an attribute's name.
    mutating func name(_ name: String) -> String {
        if let placeholder = known[name] { return placeholder }
        let placeholder = "#\(names.count)"
        known[name] = placeholder
        names[placeholder] = name
        return placeholder
    }

    /// A placeholder of a value.
    mutating func value(_ value: AttributeValue) -> String {
        let placeholder = ":\(values.count)"
        values[placeholder] = value
        return placeholder
    }

    /// A condition as DynamoDB reads it.
    mutating func text(of condition: Condition) -> String {
        switch condition {
        case .exists(let name): "attribute_exists(\(self.name(name)))"
        case .absent(let name): "attribute_not_exists(\(self.name(name)))"
        case .equals(let name, let value): "\(self.name(name)) = \(self.value(value))"
        case .differs(let name, let value): "\(self.name(name)) <> \(self.value(value))"
        case .less(let name, let value): "\(self.name(name)) < \(self.value(value))"
        case .atMost(let name, let value): "\(self.name(name)) <= \(self.value(value))"
        case .greater(let name, let value): "\(self.name(name)) > \(self.value(value))"
        case .all(let conditions): joined(conditions, by: " AND ")
        case .any(let conditions): joined(conditions, by: " OR ")
        }
    }

    private mutating func joined(_ conditions: [Condition], by word: String) -> String {
        var parts: [String] = []
        for condition in conditions { parts.append(text(of: condition)) }
        return parts.count == 1 ? parts[0] : "(" + parts.joined(separator: word) + ")"
    }
}

extension Placeholders {
    /// The names, or `nil` for none: DynamoDB refuses empty ones.
    var namesOrNil: [String: String]? { names.isEmpty ? nil : names }
    /// The values, or `nil` for none.
    var valuesOrNil: [String: AttributeValue]? { values.isEmpty ? nil : values }
}
