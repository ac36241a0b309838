import AWSClient
import DiscfgCore

/// An item as read from a record, and the reference to its value if that is stored separately.
typealias StoredItem = (item: Item, blob: BlobReference?)

/// The conversion between an item and attributes.
///
/// A large value is stored separately, and the item has a reference to it.
enum ItemAttributes {
    /// The maximum number of bytes of a value that is stored in the item itself.
    static let inlineLimit = 32 << 10

    /// The names of an item's attributes.
    struct Names: Sendable {
        var value = "value"
        var blob = Name.blob
        var type = "type"
        var version = "version"
        var created = "created"
        var modified = "modified"
        var time = Name.time
        var author = Name.author
        var expiry = Name.expiry
        var lease = "lease"

        /// The names in an item's own record: words, for people who look at the table.
        static let item = Names()
        /// The names inside a commit, in which ten changes should fit into one kilobyte.
        static let change = Names(
            value: "v", blob: "b", type: "c", version: "n", created: "f", modified: "m", time: "a", author: "u",
            expiry: "x", lease: "l")
    }

    /// The attributes of an item; `blob` names its value if that is stored separately.
    ///
    /// For an item that a commit has set, the attributes that the commit already has are left out.
    static func make(_ item: Item, blob: BlobReference?, names: Names = .item, setBy commit: Commit? = nil)
        -> [String: AttributeValue]
    {
        var attributes: [String: AttributeValue] = [names.version: .integer(item.version)]
        if let blob {
            attributes[names.blob] = .string(blob.text)
        } else {
            attributes[names.value] = text(item.value.bytes)
        }
        // Usual values are left out: the price of a write depends on its bytes.
        if item.value.contentType != Value.text { attributes[names.type] = .string(item.value.contentType) }
        if item.created != commit?.revision { attributes[names.created] = .integer(item.created) }
        if item.modified != commit?.revision { attributes[names.modified] = .integer(item.modified) }
        if item.modifiedAt != commit?.time { attributes[names.time] = .integer(item.modifiedAt.milliseconds) }
        if item.author != commit?.author ?? "" { attributes[names.author] = .string(item.author) }
        if let expiry = item.expiry { attributes[names.expiry] = .integer(expiry.milliseconds) }
        if let lease = item.lease { attributes[names.lease] = .integer(lease) }
        return attributes
    }

    /// Bytes as text if they are valid text, for people who look at the table.
    static func text(_ bytes: [UInt8]) -> AttributeValue {
        String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .binary(bytes)
    }

    static func bytes(_ value: AttributeValue?) -> [UInt8]? { value?.binary ?? value?.string.map { Array($0.utf8) } }

    /// The item, and the reference to its value if that is stored separately; `values` is whether it must have a value.
    static func read(
        _ attributes: [String: AttributeValue], key: Key, values: Bool = true, names: Names = .item,
        setBy commit: Commit? = nil
    ) throws -> (item: Item, blob: BlobReference?) {
        let blob = try attributes[names.blob]?.string.map { try BlobReference($0) }
        let bytes = bytes(attributes[names.value])
        guard let version = attributes[names.version]?.int64,
            let created = attributes[names.created]?.int64 ?? commit?.revision,
            let modified = attributes[names.modified]?.int64 ?? commit?.revision,
            let time = attributes[names.time]?.int64 ?? commit?.time.milliseconds,
            bytes != nil || blob != nil || !values
        else { throw DamagedRecord("the item of key “\(key)” lacks an attribute") }
        let value = Value(bytes: bytes ?? [], contentType: attributes[names.type]?.string ?? Value.text)
        let item = Item(
            key: key, value: value, version: version, created: created, modified: modified,
            modifiedAt: Timestamp(milliseconds: time), author: attributes[names.author]?.string ?? commit?.author ?? "",
            expiry: attributes[names.expiry]?.int64.map { Timestamp(milliseconds: $0) },
            lease: attributes[names.lease]?.int64)
        return (item, blob)
    }

    /// The key in an attribute.
    static func key(_ value: AttributeValue?) throws -> Key {
        guard let bytes = bytes(value), let key = try? Key(bytes: bytes) else {
            throw DamagedRecord("a key is missing, empty or too long")
        }
        return key
    }
}

/// A record that discfg cannot have written.
struct DamagedRecord: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
