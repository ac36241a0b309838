import DiscfgCore

/// The event that describes a commit, in the JSON format of CloudEvents 1.0.
///
/// It has values only if the rule asks for them and the event stays within the limit of every target. The event states
/// what it leaves out.
/// Source: <https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md>.
enum CloudEvent {
    static let contentType = "application/cloudevents+json; charset=utf-8"

    /// The event of a commit that has only the changes that the rule selects.
    static func message(of commit: Commit, in config: ConfigName, by rule: NotificationRule) -> NotificationMessage {
        let id = id(of: commit, by: rule)
        let whole = body(of: commit, id: id, in: config, withValues: rule.withValues)
        let isWhole = whole.count <= NotificationMessage.maximumLength
        let body =
            isWhole ? whole : body(of: commit, id: id, in: config, withValues: false, omitsValues: rule.withValues)
        return NotificationMessage(
            id: id, kind: .commit, config: config, revision: commit.revision, time: commit.time, body: body)
    }

    /// Two rules may send different parts of a commit to the same target, so the id names the rule too.
    private static func id(of commit: Commit, by rule: NotificationRule) -> String {
        // In what webhooks sign, a dot ends the id.
        "\(commit.id)-\(String(rule.id.map { $0 == "." ? "~" : $0 }))"
    }

    /// An event that describes no change, to test a target.
    static func test(of config: ConfigName, at revision: Revision, time: Timestamp, id: String) -> NotificationMessage {
        let body = JSONWriter.bytes { writer in
            writer.object { writer in
                attributes(.test, id: id, config, time, to: &writer)
                writer.name("data")
                writer.object { writer in
                    writer.member("config", config.description)
                    writer.member("revision", revision)
                    writer.member("message", "This is a test of a discfg notification. Nothing has changed.")
                }
            }
        }
        return NotificationMessage(
            id: id, kind: .test, config: config, revision: revision, time: time, body: body)
    }

    private static func attributes(
        _ kind: NotificationMessage.Kind, id: String, _ config: ConfigName, _ time: Timestamp,
        to writer: inout JSONWriter
    ) {
        writer.member("specversion", "1.0")
        writer.member("id", id)
        writer.member("source", "/discfg/\(config)")
        writer.member("type", kind.rawValue)
        writer.member("time", time.description)
        writer.member("datacontenttype", "application/json")
    }

    private static func body(
        of commit: Commit, id: String, in config: ConfigName, withValues: Bool, omitsValues: Bool = false
    ) -> [UInt8] {
        JSONWriter.bytes(capacity: 1024) { writer in
            writer.object { writer in
                attributes(.commit, id: id, config, commit.time, to: &writer)
                if let only = commit.changes.first?.key.text, commit.changes.count == 1 {
                    writer.member("subject", only)
                }
                writer.name("data")
                writer.object { writer in
                    writer.member("config", config.description)
                    writer.member("revision", commit.revision)
                    writer.member("author", commit.author)
                    writer.member("message", commit.message)
                    write(commit.changes, withValues: withValues, to: &writer)
                    if omitsValues {
                        writer.name("valuesOmitted")
                        writer.value(true)
                    }
                }
            }
        }
    }

    /// Writes the changes; without values, as many as fit.
    private static func write(_ changes: [Change], withValues: Bool, to writer: inout JSONWriter) {
        var written = 0
        writer.name("changes")
        writer.array { writer in
            for change in changes {
                // A key of 1 KiB takes at most 6 KiB here, and its name 3 KiB; the rest of the 12 KiB is for its versions and
                // the end of the event.
                if !withValues, writer.bytes.count > NotificationMessage.maximumLength - 12_288 { break }
                if withValues, writer.bytes.count > NotificationMessage.maximumLength { break }
                change.writeSummary(to: &writer, withValues: withValues)
                written += 1
            }
        }
        if written < changes.count { writer.member("changesOmitted", changes.count - written) }
    }
}

extension Change {
    /// Writes the key, the kind of change, and the versions before and after.
    fileprivate func writeSummary(to writer: inout JSONWriter, withValues: Bool) {
        writer.object { writer in
            key.writeMember(to: &writer)
            writer.member("kind", kind.rawValue)
            if let item { writer.member("version", item.version) }
            if let previous { writer.member("previousVersion", previous.version) }
            // The style has a time only for times to live, which are not written.
            if withValues, let item {
                item.value.writeMembers(to: &writer, WireStyle(now: Timestamp(milliseconds: 0)))
            }
        }
    }
}
