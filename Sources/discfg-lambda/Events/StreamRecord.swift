import DiscfgCore

/// One change of one record of the table.
struct StreamRecord: Sendable, Hashable {
    /// A commit that was added to a log.
    struct Commit: Sendable, Hashable {
        let log: Log
        let revision: Revision
        /// Whether it is the last entry of the log of a removed config.
        let isEnd: Bool
    }

    /// The log of one incarnation of a config.
    struct Log: Sendable, Hashable {
        let config: ConfigName
        let incarnation: String
    }

    /// `INSERT`, `MODIFY` or `REMOVE`.
    let kind: String
    let partition: String
    let sort: [UInt8]
    let sequenceNumber: String
    /// The commit, if the record inserts one.
    let commit: Commit?

    /// Reads a record; `nil` if it is not a record of such a table, or is a log entry without a revision.
    init?(_ record: JSONValue) {
        let change = record["dynamodb"]
        guard record["eventSource"]?.string == "aws:dynamodb", let kind = record["eventName"]?.string,
            let partition = change?["Keys"]?["pk"]?["S"]?.string,
            let sort = change?["Keys"]?["sk"]?["B"]?.string.flatMap(EventBase64.decode),
            let number = change?["SequenceNumber"]?.string, !number.isEmpty
        else { return nil }
        self.kind = kind
        self.partition = partition
        self.sort = sort
        self.sequenceNumber = number
        guard kind == "INSERT", let log = Self.log(partition) else {
            self.commit = nil
            return
        }
        let image = change?["NewImage"]
        guard let revision = Self.revision(sort: sort, image: image) else { return nil }
        self.commit = Commit(log: log, revision: revision, isEnd: image?["end"]?["BOOL"]?.bool == true)
    }

    /// The log of a partition `C#<config>#L#<incarnation>`; `nil` for any other partition.
    private static func log(_ partition: String) -> Log? {
        let parts = Substring(partition).utf8.split(separator: UInt8(ascii: "#"), omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count == 4, parts[0] == "C", parts[2] == "L", !parts[3].isEmpty,
            let config = try? ConfigName(parts[1])
        else { return nil }
        return Log(config: config, incarnation: String(parts[3]))
    }

    /// The revision, which is in the key as big-endian bytes and in the attribute `rev` as a number; both must be
    /// equal.
    private static func revision(sort: [UInt8], image: JSONValue?) -> Revision? {
        guard sort.count == 8, sort[0] < 0x80 else { return nil }
        let revision = sort.reduce(Revision(0)) { $0 << 8 | Revision($1) }
        guard let attribute = image?["rev"]?["N"] else { return revision }
        return attribute.string.flatMap { Revision($0) } == revision ? revision : nil
    }
}
