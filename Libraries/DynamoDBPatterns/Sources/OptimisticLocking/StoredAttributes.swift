import AWSClient

/// Puts the changes of an item into what is stored, so that the rest stays as another program wrote it.
///
/// Three things are compared, attribute by attribute and member by member: what is stored, how the item's type writes
/// what it read from that, and how the type writes the item now.
///
/// - What the type writes as before stays as it is stored, whatever type it has.
/// - What the type does not write stays, at the top level and in maps. In a list only an element that did not change
///   keeps such members: a changed one may be another thing at the same place.
/// - A list of a type without an order, such as a set of structs, is stored in any order, so that its elements cannot be
///   found again: one that changed is written as the type writes it.
/// - A set or list that changed stays a set of its type, or a list. An empty set is left out, as DynamoDB leaves it out.
struct StoredAttributes {
    /// What was stored, without the attributes of the table's own.
    var stored: StoredItem
    /// How the item's type writes what it read.
    let known: StoredItem
    /// Where that has lists whose order means nothing.
    let unordered: Set<AttributePlace>
    /// Names a member whose set became empty and was left out; `nil` if there is none.
    private(set) var emptied: String?

    init(_ stored: StoredItem = [:], known: StoredItem = [:], unordered: Set<AttributePlace> = []) {
        self.stored = stored
        self.known = known
        self.unordered = unordered
    }

    /// What to store.
    ///
    /// - Parameter new: How the item's type writes the item now.
    /// - Returns: All attributes but the table's own.
    /// - Throws: `PatternError` with code `invalidArgument` if an element is twice in what is stored as a set.
    mutating func changed(to new: StoredItem) throws(PatternError) -> StoredItem {
        try members(new, known: known, stored: stored, keepsUnknown: true, at: MemberPath())
    }

    private mutating func members(
        _ new: StoredItem, known: StoredItem, stored: StoredItem, keepsUnknown: Bool, at path: MemberPath
    ) throws(PatternError) -> StoredItem {
        var result = keepsUnknown ? stored.filter { known[$0.key] == nil } : [:]
        for (name, value) in new {
            result[name] = try attribute(
                value, known: known[name], stored: stored[name], keepsUnknown: keepsUnknown, at: path.member(name))
        }
        return result
    }

    private mutating func attribute(
        _ new: AttributeValue, known: AttributeValue?, stored: AttributeValue?, keepsUnknown: Bool,
        at path: MemberPath
    ) throws(PatternError) -> AttributeValue? {
        guard let known, let stored else { return storable(new, at: path.text) }
        if keepsUnknown, new == known { return stored }
        switch (stored, known, new) {
        case (.map(let stored), .map(let known), .map(let new)):
            return .map(try members(new, known: known, stored: stored, keepsUnknown: keepsUnknown, at: path))
        case (.list(let stored), .list(let known), .list(let new))
        where stored.count == known.count && !unordered.contains(path.place):
            return .list(try elements(new, known: known, stored: stored, keepsUnknown: keepsUnknown, at: path))
        // Without members of its own there is nothing in it that may belong to another thing.
        case _ where new == known && !stored.isDocument: return stored
        case (.list, _, _) where new.isEmptySet: return .list([])
        // What the type itself writes as this kind of set or list is as the caller wants it.
        case _ where stored.hasType(of: known): return storable(new, at: path.text)
        default: return storable(try new.asCollection(like: stored, at: path.text), at: path.text)
        }
    }

    /// Elements are found again at their place, and those that did not change at any place.
    private mutating func elements(
        _ new: [AttributeValue], known: [AttributeValue], stored: [AttributeValue], keepsUnknown: Bool,
        at path: MemberPath
    ) throws(PatternError) -> [AttributeValue] {
        let places = Dictionary(zip(known, stored), uniquingKeysWith: { first, _ in first })
        var result: [AttributeValue] = []
        for (index, element) in new.enumerated() {
            let place = path.element(index)
            let isThere = known.indices.contains(index) && element == known[index]
            if let same = isThere ? stored[index] : places[element], keepsUnknown || !same.isDocument {
                result.append(same)
            } else if known.indices.contains(index) {
                let changed = try attribute(
                    element, known: known[index], stored: stored[index], keepsUnknown: false, at: place)
                result.append(changed ?? .list([]))
            } else {
                result.append(storable(element, at: place.text) ?? .list([]))
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

/// Where a member is.
private struct MemberPath {
    /// For messages, such as `devices[1].name`.
    var text = ""
    var place = AttributePlace()

    func member(_ name: String) -> MemberPath {
        MemberPath(text: text.isEmpty ? name : "\(text).\(name)", place: place.member(name))
    }

    func element(_ index: Int) -> MemberPath { MemberPath(text: "\(text)[\(index)]", place: place.element) }
}

extension AttributeValue {
    /// Whether it has members or elements that a type may not know.
    fileprivate var isDocument: Bool {
        switch self {
        case .map, .list: true
        default: false
        }
    }

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
