import AWSClient

/// Puts the changes of an item into what is stored, so that the rest stays as another program wrote it.
///
/// Three things are compared, attribute by attribute and member by member: what is stored, how the item's type writes
/// what it read from that, and how the type writes the item now.
///
/// - What the type writes as before stays as it is stored, whatever type it has.
/// - What the type does not write stays, at the top level and in maps. In a list only an element that did not change
///   keeps such members: a changed one may be another thing at the same place.
/// - A set or list that changed stays a set of its type, or a list. An empty set is left out, as DynamoDB leaves it out.
struct StoredAttributes {
    /// What was stored, without the attributes of the table's own.
    var stored: StoredItem
    /// How the item's type writes what it read.
    let known: StoredItem
    /// Names a member whose set became empty and was left out; `nil` if there is none.
    private(set) var emptied: String?

    init(_ stored: StoredItem = [:], known: StoredItem = [:]) {
        self.stored = stored
        self.known = known
    }

    /// What to store.
    ///
    /// - Parameter new: How the item's type writes the item now.
    /// - Returns: All attributes but the table's own.
    /// - Throws: `PatternError` with code `invalidArgument` if an element is twice in what is stored as a set.
    mutating func changed(to new: StoredItem) throws(PatternError) -> StoredItem {
        try members(new, known: known, stored: stored, keepsUnknown: true, at: "")
    }

    private mutating func members(
        _ new: StoredItem, known: StoredItem, stored: StoredItem, keepsUnknown: Bool, at path: String
    ) throws(PatternError) -> StoredItem {
        var result = keepsUnknown ? stored.filter { known[$0.key] == nil } : [:]
        for (name, value) in new {
            let place = path.isEmpty ? name : "\(path).\(name)"
            let stored = stored[name]
            result[name] = try attribute(
                value, known: known[name], stored: stored, keepsUnknown: keepsUnknown, at: place)
        }
        return result
    }

    private mutating func attribute(
        _ new: AttributeValue, known: AttributeValue?, stored: AttributeValue?, keepsUnknown: Bool, at path: String
    ) throws(PatternError) -> AttributeValue? {
        guard let known, let stored else { return storable(new, at: path) }
        if new == known { return stored }
        switch (stored, known, new) {
        case (.map(let stored), .map(let known), .map(let new)):
            return .map(try members(new, known: known, stored: stored, keepsUnknown: keepsUnknown, at: path))
        case (.list(let stored), .list(let known), .list(let new)) where stored.count == known.count:
            return .list(try elements(new, known: known, stored: stored, at: path))
        case (.list, _, _) where new.isEmptySet: return .list([])
        // What the type itself writes as this kind of set or list is as the caller wants it.
        case _ where stored.hasType(of: known): return storable(new, at: path)
        default: return storable(try new.asCollection(like: stored, at: path), at: path)
        }
    }

    /// Elements are found again at their place, and those that did not change at any place.
    private mutating func elements(
        _ new: [AttributeValue], known: [AttributeValue], stored: [AttributeValue], at path: String
    ) throws(PatternError) -> [AttributeValue] {
        let places = Dictionary(zip(known, stored), uniquingKeysWith: { first, _ in first })
        var result: [AttributeValue] = []
        for (index, element) in new.enumerated() {
            let place = "\(path)[\(index)]"
            if known.indices.contains(index), element == known[index] || places[element] == nil {
                result.append(
                    try attribute(
                        element, known: known[index], stored: stored[index], keepsUnknown: false, at: place)
                        ?? .list([]))
            } else {
                result.append(places[element] ?? storable(element, at: place) ?? .list([]))
            }
        }
        return result
    }

    /// A value without empty sets, which DynamoDB does not take; `nil` if it is one.
    private mutating func storable(_ value: AttributeValue, at path: String) -> AttributeValue? {
        switch value {
        case .map(let members):
            var result: StoredItem = [:]
            for (name, member) in members { result[name] = storable(member, at: "\(path).\(name)") }
            return .map(result)
        case .list(let elements):
            var result: [AttributeValue] = []
            for (index, element) in elements.enumerated() {
                // An element cannot be left out.
                result.append(element.isEmptySet ? .list([]) : storable(element, at: "\(path)[\(index)]") ?? .list([]))
            }
            return .list(result)
        case _ where value.isEmptySet:
            emptied = path
            return nil
        default: return value
        }
    }
}

extension AttributeValue {
    fileprivate var isEmptySet: Bool {
        switch self {
        case .stringSet(let elements): elements.isEmpty
        case .numberSet(let elements): elements.isEmpty
        case .binarySet(let elements): elements.isEmpty
        default: false
        }
    }

    fileprivate func hasType(of other: AttributeValue) -> Bool {
        switch (self, other) {
        case (.list, .list), (.stringSet, .stringSet), (.numberSet, .numberSet), (.binarySet, .binarySet): true
        default: false
        }
    }

    /// A list as the kind of set that is stored, or a set as the list that is stored; anything else as it is.
    fileprivate func asCollection(like stored: AttributeValue, at path: String) throws(PatternError) -> AttributeValue {
        switch (stored, self) {
        case (.stringSet, .list(let elements)):
            let strings = elements.compactMap(\.string)
            guard strings.count == elements.count else { return self }
            try Self.checkDistinct(strings.map { Array($0.utf8) }, at: path)
            return .stringSet(strings)
        case (.numberSet, .list(let elements)):
            let numbers = elements.compactMap(\.number)
            guard numbers.count == elements.count else { return self }
            try Self.checkDistinct(numbers.map(CanonicalNumber.text), at: path)
            return .numberSet(numbers)
        case (.binarySet, .list(let elements)):
            let binaries = elements.compactMap(\.binary)
            guard binaries.count == elements.count else { return self }
            try Self.checkDistinct(binaries, at: path)
            return .binarySet(binaries)
        case (.list, .stringSet(let elements)): return .list(elements.map(AttributeValue.string))
        case (.list, .numberSet(let elements)): return .list(elements.map(AttributeValue.number))
        case (.list, .binarySet(let elements)): return .list(elements.map(AttributeValue.binary))
        default: return self
        }
    }

    private static func checkDistinct(_ elements: [some Hashable], at path: String) throws(PatternError) {
        guard Set(elements).count == elements.count else {
            throw PatternError(
                .invalidArgument, "The member “\(path)” has an element twice, and is stored as a set.",
                hint: "Declare it as a Set.")
        }
    }
}
