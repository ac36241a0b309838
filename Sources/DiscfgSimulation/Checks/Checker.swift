import DiscfgCore
import DynamoDBPatternsTesting

extension Scenario.Run {
    /// Checks everything that has to hold of the run.
    ///
    /// - Throws: `InvariantViolation` with all that does not.
    package func check() throws {
        var checker = Checker(self)
        checker.checkLogs()
        checker.checkCommits()
        checker.checkReads()
        checker.checkOther()
        checker.checkWatches()
        checker.checkLeases()
        checker.checkLocks()
        checker.checkRegisters()
        guard checker.problems.isEmpty else {
            let problems = checker.problems.prefix(5).joined(separator: "\n")
            throw InvariantViolation("\(checker.problems.count) problems:\n\(problems)")
        }
    }
}

/// Compares what clients were answered with what the logs hold.
struct Checker {
    /// Where the commit of an operation is.
    struct Place {
        var log: LogRecord
        var revision: Revision
    }

    let run: Scenario.Run
    let entries: [History.Entry]
    /// The main config's only log.
    let main: LogRecord
    let places: [String: [Place]]
    private(set) var problems: [String] = []
    /// The highest revision of the main config that anybody was answered, by the moment.
    private var acknowledged: [(moment: Int, revision: Revision)] = []

    init(_ run: Scenario.Run) {
        self.run = run
        entries = run.history.entries
        let logs = run.store.allLogs
        main =
            run.store.logs(of: Scenario.main).first ?? LogRecord(Scenario.main, incarnation: "", created: 0)
        var places: [String: [Place]] = [:]
        for log in logs {
            for commit in log.commits where commit.author.hasPrefix("op-") {
                places[commit.author, default: []].append(Place(log: log, revision: commit.revision))
            }
        }
        self.places = places
        let moments = entries.compactMap { entry in
            entry.config == Scenario.main ? entry.seenRevision.map { (entry.end, $0) } : nil
        }
        var highest: Revision = 1
        for (moment, revision) in moments.sorted(by: { $0 < $1 }) {
            highest = max(highest, revision)
            acknowledged.append((moment, highest))
        }
    }

    mutating func fail(_ text: String) { problems.append(text) }

    mutating func fail(_ entry: History.Entry, _ text: String) {
        problems.append("\(entry.summary): \(text)")
    }

    /// The revision that a linearizable read may not fall behind when it begins then.
    func bound(at moment: Int) -> Revision {
        let index = acknowledged.partitioningIndex { $0.moment >= moment }
        return index == 0 ? 1 : acknowledged[index - 1].revision
    }

    /// The revision of the key that a life of a process wrote last before a moment, as far as it was told.
    func ownBound(_ entry: History.Entry, key: Key) -> Revision {
        entries.reduce(1) { bound, own in
            guard own.process == entry.process, own.life == entry.life, own.end < entry.start,
                own.config == entry.config, let revision = own.writtenRevision,
                main.commit(revision)?.changes.contains(where: { $0.key == key }) ?? false
            else { return bound }
            return max(bound, revision)
        }
    }

    /// Whether a key may have been overdue for somebody until a time of the right clock.
    func mayBeOverdue(_ item: Item?, until microseconds: Int64) -> Bool {
        guard let expiry = item?.expiry else { return false }
        return expiry.milliseconds * 1000 <= microseconds + run.scenario.skew.microseconds
    }

    // MARK: The logs themselves

    mutating func checkLogs() {
        for log in run.store.allLogs {
            for problem in log.problems { fail("\(log.config): \(problem)") }
        }
        for (author, places) in places where places.count > 1 {
            fail("\(author) is in the logs \(places.count) times: \(places.map(\.revision)).")
        }
        if run.store.logs(of: Scenario.main).count != 1 { fail("The main config was made again.") }
    }

    // MARK: Registers

    /// The keys that only plain reads and writes touch have a linearizable history, also without looking at revisions.
    mutating func checkRegisters() {
        typealias Check = LinearizabilityCheck<RegisterModel>
        var histories: [Key: [Check.Entry]] = [:]
        for entry in entries where entry.config == Scenario.main {
            guard let (key, input) = entry.registerInput(in: main) else { continue }
            histories[key, default: []].append(
                Check.Entry(input, entry.registerOutput, call: entry.start, answer: entry.end))
        }
        for (key, history) in histories.sorted(by: { $0.key < $1.key }) {
            if case .violation(let unplaced) = Check(RegisterModel()).verdict(on: history) {
                let left = unplaced.map { "\(history[$0])" }.joined(separator: ", ")
                fail("The history of \(key) is not linearizable; without a place: \(left)")
            }
        }
    }
}

extension History.Entry {
    /// The entry in a line.
    var summary: String { "op-\(id) \(client) life \(life) \(call) [\(start), \(end == .max ? "?" : "\(end)")]" }

    /// A revision that whoever got the answer has seen.
    var seenRevision: Revision? {
        switch answer {
        case .result(let result): result.revision
        case .reading(let reading): reading?.revision
        case .listing(let listing): listing.revision
        case .rollback(let result): result.revision
        case .page(let page): page.commits.last?.revision
        default: nil
        }
    }

    /// The revision of its own commit, as its client was told.
    var writtenRevision: Revision? {
        switch answer {
        case .result(let result): result.changed ? result.revision : nil
        case .rollback(let result): result.changes.isEmpty ? nil : result.revision
        default: nil
        }
    }

    private func isRegister(_ key: Key) -> Bool { key.bytes.starts(with: Array("/r/".utf8)) }

    /// What it does to a register.
    func registerInput(in log: LogRecord) -> (Key, RegisterModel.Input)? {
        switch call {
        case .get(let key, nil, .strong) where isRegister(key): return (key, .read)
        case .commit(let transaction):
            guard case .set(let key, let value, _)? = transaction.success.first, isRegister(key) else { return nil }
            let text = String(decoding: value.bytes, as: UTF8.self)
            guard case .revision(let known)? = transaction.preconditions.first?.test else {
                return (key, .write(text))
            }
            // Each value is written once, so the revision stands for the value.
            let old = log.state(at: known)?[key].map { String(decoding: $0.value.bytes, as: UTF8.self) }
            return (key, .replace(old, with: text))
        default: return nil
        }
    }

    /// What a register answered; `nil` if that is unknown, or it did nothing.
    var registerOutput: RegisterModel.Output? {
        func text(_ item: Item?) -> String? { item.map { String(decoding: $0.value.bytes, as: UTF8.self) } }
        switch answer {
        case .reading(let reading): return .value(text(reading?.item))
        case .result(let result): return result.failed == nil ? .done : .refused(text(result.current))
        default: return nil
        }
    }
}
