import AWSClient
import DiscfgCore

/// The conversion between a commit and its record in the log.
enum CommitAttributes {
    /// The maximum number of bytes of values in one record; values that do not fit are stored separately.
    ///
    /// DynamoDB takes 400 KB, including all keys and names.
    static let inlineLimit = 100 << 10

    /// The attributes of a commit; `blobs` has the references to values that are stored separately.
    static func make(_ commit: Commit, key: [String: AttributeValue], blobs: [[UInt8]: BlobReference])
        -> [String: AttributeValue]
    {
        var attributes = key
        attributes[Name.revision] = .integer(commit.revision)
        attributes[Name.id] = .string(commit.id)
        attributes[Name.time] = .integer(commit.time.milliseconds)
        if !commit.author.isEmpty { attributes[Name.author] = .string(commit.author) }
        if !commit.message.isEmpty { attributes[Name.message] = .string(commit.message) }
        attributes[Name.changes] = .list(commit.changes.map { .map(make($0, of: commit, blobs: blobs)) })
        return attributes
    }

    private static func make(_ change: Change, of commit: Commit, blobs: [[UInt8]: BlobReference])
        -> [String: AttributeValue]
    {
        var attributes = [Name.changedKey: ItemAttributes.text(change.key.bytes)]
        if change.kind != .set { attributes[Name.kind] = .string(change.kind.rawValue) }
        if let item = change.item {
            attributes[Name.item] = .map(
                ItemAttributes.make(item, blob: blobs[item.value.bytes], names: .change, setBy: commit))
        }
        if let previous = change.previous {
            attributes[Name.previous] = .map(
                ItemAttributes.make(previous, blob: blobs[previous.value.bytes], names: .change))
        }
        return attributes
    }

    /// The values of a commit that must be stored separately: those over the limit for items, and the largest until the
    /// rest fits.
    static func large(in commit: Commit, limit: Int) -> Set<[UInt8]> {
        let values = commit.changes.flatMap { [$0.item, $0.previous] }.compactMap { $0?.value.bytes }
        var large = Set(values.filter { $0.count > ItemAttributes.inlineLimit })
        let small = values.filter { $0.count <= ItemAttributes.inlineLimit }.sorted { $0.count > $1.count }
        var weight = small.reduce(0) { $0 + $1.count }
        for value in small where weight > limit {
            weight -= value.count
            large.insert(value)
        }
        return large
    }

    /// A commit whose large values are still to be read.
    struct Draft {
        var commit: Commit
        /// The references, by change and side.
        var blobs: [(change: Int, isPrevious: Bool, reference: BlobReference)] = []

        /// The draft with the changes of selected keys alone, or `nil` if there is none.
        func selecting(_ selection: KeySelection) -> Draft? {
            if selection == .all { return self }
            var draft = Draft(commit: commit)
            draft.commit.changes = []
            for (index, change) in commit.changes.enumerated() where selection.contains(change.key) {
                let place = draft.commit.changes.count
                draft.blobs += blobs.filter { $0.change == index }.map { (place, $0.isPrevious, $0.reference) }
                draft.commit.changes.append(change)
            }
            return draft.commit.changes.isEmpty ? nil : draft
        }
    }

    static func read(_ attributes: [String: AttributeValue]) throws -> Draft {
        guard let revision = attributes[Name.revision]?.int64, let id = attributes[Name.id]?.string,
            let time = attributes[Name.time]?.int64, let changes = attributes[Name.changes]?.list
        else { throw DamagedRecord("an entry of the log lacks an attribute") }
        var draft = Draft(
            commit: Commit(
                id: id, revision: revision, time: Timestamp(milliseconds: time),
                author: attributes[Name.author]?.string ?? "", message: attributes[Name.message]?.string ?? "",
                changes: []))
        let commit = draft.commit
        for change in changes { try read(change.map ?? [:], of: commit, into: &draft) }
        return draft
    }

    private static func read(
        _ attributes: [String: AttributeValue], of commit: Commit, into draft: inout Draft
    ) throws {
        let index = draft.commit.changes.count
        let key = try ItemAttributes.key(attributes[Name.changedKey])
        guard let kind = attributes[Name.kind].map({ $0.string.flatMap(Change.Kind.init(rawValue:)) }) ?? .set else {
            throw DamagedRecord("a change at revision \(commit.revision) is of no known kind")
        }
        func side(_ name: String, setBy commit: Commit?) throws -> Item? {
            guard let map = attributes[name]?.map else { return nil }
            let (item, blob) = try ItemAttributes.read(map, key: key, names: .change, setBy: commit)
            if let blob { draft.blobs.append((index, name == Name.previous, blob)) }
            return item
        }
        let item = try side(Name.item, setBy: commit)
        guard (item != nil) == (kind == .set) else {
            throw DamagedRecord("a change at revision \(commit.revision) has no item, or one too many")
        }
        let previous = try side(Name.previous, setBy: nil)
        draft.commit.changes.append(Change(kind: kind, key: key, item: item, previous: previous))
    }
}
