import DiscfgCore

/// What a table's stream tells a function: which configs have new commits.
///
/// A commit is one record that is inserted into the partition of its config's log. Everything else in the table changes beside
/// it, and is passed over; the mapping's filter should let none of it through.
struct StreamEvent: Sendable {
    /// The records that the event has, without those that cannot be understood.
    let records: [StreamRecord]
    /// How many could not be understood.
    let malformed: Int

    /// Reads an event.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` when it is not one of a stream; a single record never makes it fail.
    init(event: JSONValue) throws(DiscfgError) {
        guard let records = try EventObject(event)["Records"]?.array else {
            throw .invalid(
                "The event has no array Records, so it is not from a stream.",
                hint: "Invoke this handler by an event source mapping of the table's stream.")
        }
        self.records = records.compactMap(StreamRecord.init)
        self.malformed = records.count - self.records.count
    }

    /// The greatest new revision of each config whose log grew.
    ///
    /// Of a config that was removed meanwhile there is none; of one that was made anew, the new one's.
    var revisions: [ConfigName: Revision] {
        let commits = records.compactMap(\.commit)
        let ended = Set(commits.filter(\.isEnd).map(\.log))
        var newest: [ConfigName: StreamRecord.Commit] = [:]
        for commit in commits where !ended.contains(commit.log) {
            // Another incarnation comes later in the stream, and begins anew.
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

    /// The answer that names where the stream is to be read again: at the first record of a config that failed.
    ///
    /// It goes with `ReportBatchItemFailures`. Without a failure the list is empty, which means that all is done.
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
