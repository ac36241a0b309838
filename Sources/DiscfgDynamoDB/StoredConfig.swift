import AWSClient
import DiscfgCore

/// The record of a config.
struct StoredConfig: Sendable {
    var name: ConfigName
    var settings: ConfigSettings
    var created: Timestamp
    /// The last revision that was trimmed, and the last whose entry is a stub that DynamoDB will remove.
    var trimmed: Revision
    var purged: Revision
    /// Whether trimmed entries are kept for readers that follow the log.
    var hasKept: Bool
    var incarnation: String
    /// A revision near the tail, and its time.
    var hint: Revision
    var hintTime: Timestamp
    /// Whether the config is being removed: it is gone for everyone except the process that removes it.
    var isRemoved: Bool
    /// The mark of the call that removes it.
    var remover: String?

    init(_ attributes: [String: AttributeValue]) throws {
        guard let name = attributes[Name.name]?.string, let settings = attributes[Name.settings]?.string,
            let created = attributes[Name.created]?.int64, let incarnation = attributes[Name.log]?.string,
            let hint = attributes[Name.hint]?.int64, let hintTime = attributes[Name.hintTime]?.int64
        else { throw DamagedRecord("the record of a config lacks an attribute") }
        self.name = try ConfigName(name)
        self.settings = try ConfigSettings(json: JSONValue(parsing: settings))
        self.created = Timestamp(milliseconds: created)
        self.incarnation = incarnation
        self.hint = hint
        self.hintTime = Timestamp(milliseconds: hintTime)
        trimmed = attributes[Name.trimmed]?.int64 ?? 0
        purged = attributes[Name.purged]?.int64 ?? 0
        hasKept = attributes[Name.kept]?.bool ?? false
        isRemoved = attributes[Name.removed]?.bool ?? false
        remover = attributes[Name.remover]?.string
    }

    /// The attributes of a new config.
    static func make(
        _ name: ConfigName, settings: ConfigSettings, first: Commit, incarnation: String
    ) -> [String: AttributeValue] {
        TableLayout(config: name).record.merging([
            Name.name: .string(name.description), Name.settings: .string(settings.storedText),
            Name.created: .integer(first.time.milliseconds), Name.trimmed: .integer(first.revision - 1),
            Name.purged: .integer(first.revision - 1),
            Name.log: .string(incarnation), Name.hint: .integer(first.revision),
            Name.hintTime: .integer(first.time.milliseconds),
        ]) { $1 }
    }

    func tail(_ revision: Revision, _ time: Timestamp) -> LogTail {
        LogTail(revision: revision, time: time, trimmed: trimmed, incarnation: incarnation)
    }
}

extension ConfigSettings {
    /// The settings as stored: without those of the table.
    var storedText: String { ConfigSettings(retention: retention, notifications: notifications).json.text }
}
