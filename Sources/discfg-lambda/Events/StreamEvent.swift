import DiscfgCore

/// An event of a table's stream, which shows the configs that have new commits.
///
/// A commit is one record that is inserted into the partition of its config's log. Records of other items are skipped;
/// the filter of the mapping should exclude them.
struct StreamEvent: Sendable {
    /// The records of the event, without malformed ones.
    let records: [StreamRecord]
    /// The number of malformed records.
    let malformed: Int

    /// Reads an event.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` if it is not the event of a stream; a malformed record is not
    ///   an error.
    init(event: JSONValue) throws(DiscfgError) {
        guard let records = try EventObject(event)["Records"]?.array else {
            throw .invalid(
                "The event has no array Records, so it is not from a stream.",
                hint: "Use this handler in an event source mapping of the table's stream.")
        }
        self.records = records.compactMap(StreamRecord.init)
        self.malformed = records.count - self.records.count
    }

    /// The greatest new revision of each config with new commits.
    ///
    /// A config that was removed meanwhile has none. For a config that was created again it is that of the new one.
    var revisions: [ConfigName: Revision] {
        let commits = records.compactMap(\.commit)
        let ended = Set(commits.filter(\.isEnd).map(\.log))
        var newest: [ConfigName: StreamRecord.Commit] = [:]
        for commit in commits where !ended.contains(commit.log) {
            // Another incarnation is later in the stream, and its revisions start again.
            if let known = newest[commit.log.config], known.log == commit.log, known.revision > commit.revision {
                continue
            }
            newest[commit.log.config] = commit
        }
        return newest.mapValues(\.revision)
    }

    /// The sequence numbers of a config's commits, in the event's order.
    func sequenceNumbers(of config: ConfigName) -> [String] {
        records.filter { $0.commit?.log.config == config }.map(\.sequenceNumber)
    }

    /// The answer that names the first record of a config that failed, from which the stream is read again.
    ///
    /// Source: `ReportBatchItemFailures`. An empty list means that all records were processed.
    func answer(failed configs: Set<ConfigName>) -> [UInt8] {
        let first = records.first { $0.commit.map { configs.contains($0.log.config) } ?? false }
        return JSONWriter.bytes { writer in
            writer.object { writer in
                writer.name("batchItemFailures")
                writer.array { writer in
                    if let first { writer.object { $0.member("itemIdentifier", first.sequenceNumber) } }
                }
            }
        }
    }
}
