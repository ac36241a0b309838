import AWSClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the attributes beside an item's own say about it.
struct ItemOrigin: Sendable {
    /// `nil` for an item that was never written with a version.
    var version: Int64?
    var stamp: VersionStamp?
    var modified: Date?
    var life: String { stamp?.life ?? VersionStamp.unstamped }
}

/// A new version of an item that is yet to be written.
struct Draft<Item: Codable & Sendable>: Sendable {
    /// The item as it will be.
    let versioned: Versioned<Item>
    /// What will be stored.
    let stored: StoredItem
    /// What it takes the place of; `nil` for an insertion.
    let base: Versioned<Item>?
    /// What has to hold for it to be written.
    let condition: Condition

    /// Whether it was carried out, which its answer did not tell, going by the item as it is now.
    func fate(in item: Versioned<Item>?) -> WriteFate {
        guard let item else { return .unknown }
        if item.mark == base?.mark { return .notCarriedOut }
        guard let stamp = item.stamp, let own = versioned.stamp, stamp.life == own.life else { return .unknown }
        // The life began with this insertion, or this write is among the last ones.
        if base == nil || stamp.tokens.contains(own.tokens[0]) { return .carriedOut }
        // All that came after what it was to replace is known, and it is not among that.
        if let token = base?.stamp?.tokens.first, stamp.tokens.contains(token) { return .notCarriedOut }
        return .unknown
    }
}

extension VersionedTable {
    /// The attributes that the item's type may not have.
    var reservedNames: [String] { [attributes.version, attributes.stamp] + (attributes.modified.map { [$0] } ?? []) }

    /// The item as its own type writes it, and where that has lists whose order means nothing.
    func encoded(_ item: Item) throws -> (item: StoredItem, unordered: Set<AttributePlace>) {
        let encoded = try encoder.itemWithUnorderedPlaces(of: item)
        let stored = encoded.item
        if let name = reservedNames.first(where: { stored[$0] != nil }) {
            throw PatternError(
                .invalidArgument,
                "\(Item.self) has a member “\(name)”, which is the name of an attribute of the table's own.",
                hint: "Give VersionAttributes another name, or leave the member out of CodingKeys.")
        }
        return encoded
    }

    /// The version, stamp and time of a stored item.
    func origin(of stored: StoredItem) throws(PatternError) -> ItemOrigin {
        var origin = ItemOrigin()
        if let value = stored[attributes.version] {
            guard let version = value.int64, (0..<Int64.max).contains(version) else {
                throw corrupt(attributes.version)
            }
            origin.version = version
        }
        if let value = stored[attributes.stamp] {
            guard let stamp = value.string.flatMap(VersionStamp.init) else { throw corrupt(attributes.stamp) }
            origin.stamp = stamp
        }
        if let name = attributes.modified, let value = stored[name] {
            guard let modified = value.int64 else { throw corrupt(name) }
            origin.modified = Date(milliseconds: modified)
        }
        return origin
    }

    private func corrupt(_ attribute: String) -> PatternError {
        PatternError(
            .corrupt, "The attribute “\(attribute)” of an item of the table “\(name)” is not what this library writes.",
            hint: "If others use that name, give VersionAttributes another one.")
    }

    /// The draft of an insertion, in the form of what was stored before, if there was anything.
    func draft(inserting item: Item, content: StoredAttributes = StoredAttributes()) throws -> Draft<Item> {
        try draft(item, content: content, after: nil, stamp: .first(clock), if: .absent(key.partition))
    }

    /// The draft of the version that comes after one.
    func draft(saving versioned: Versioned<Item>) throws -> Draft<Item> {
        let draft = try draft(
            versioned.item, content: versioned.content, after: versioned,
            stamp: .next(after: versioned.stamp, clock), if: unchanged(versioned))
        guard draft.versioned.key == versioned.key else {
            throw PatternError(
                .invalidArgument, "The key of an item of the table “\(name)” was changed.",
                hint: "Insert an item with the new key, and delete this one, in one VersionedTransaction.")
        }
        return draft
    }

    private func draft(
        _ item: Item, content: StoredAttributes, after base: Versioned<Item>?, stamp: VersionStamp,
        if condition: Condition
    ) throws -> Draft<Item> {
        var content = content
        let (known, unordered) = try encoded(item)
        var stored = try content.changed(to: known)
        if let member = content.emptied { try checkReadable(stored, without: member) }
        content = StoredAttributes(stored, known: known, unordered: unordered)
        guard let key = PrimaryKey(of: stored, by: key) else {
            throw PatternError(
                .invalidArgument, "\(Item.self) has no members for the whole key of the table “\(name)”.")
        }
        let version = (base?.version ?? 0) + 1
        let mark: StoredItem = [attributes.version: .integer(version), attributes.stamp: .string(stamp.text)]
        stored.merge(mark) { _, new in new }
        var modified: Date?
        if let name = attributes.modified {
            let time = max(clock.milliseconds, (base?.modified?.milliseconds ?? 0) + 1)
            modified = Date(milliseconds: time)
            stored[name] = .integer(time)
        }
        let versioned = Versioned(
            item: item, key: key, version: version, modified: modified, mark: mark, stamp: stamp, content: content)
        return Draft(versioned: versioned, stored: stored, base: base, condition: condition)
    }

    /// Makes sure that an item can be read again although a set became empty, which DynamoDB cannot store.
    private func checkReadable(_ stored: StoredItem, without member: String) throws(PatternError) {
        do {
            _ = try decoder.decode(Item.self, from: stored)
        } catch {
            throw PatternError(
                .invalidArgument,
                "The member “\(member)” is stored as a set, which cannot be empty, and \(Item.self) cannot be read without.",
                hint: "Declare it as a Set, or as optional.", cause: error)
        }
    }

    /// That an item is as it was loaded.
    func unchanged(_ versioned: Versioned<Item>) -> Condition {
        .all(
            [.exists(key.partition)]
                + [attributes.version, attributes.stamp].map { name in
                    versioned.mark[name].map { .equals(name, $0) } ?? .absent(name)
                })
    }
}
