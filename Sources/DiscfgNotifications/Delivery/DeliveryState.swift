import DiscfgCore

/// The stored progress of a rule, and the claim of the sender that works on it.
///
/// It is one cell of the config, which is replaced only if it is unchanged since it was read. A sender claims it before
/// it sends. A second sender sets `isWanted` in the cell and stops.
struct DeliveryState: Sendable, Hashable {
    /// The `after` of the rule; a rule with another one starts again.
    var after: Revision
    /// The incarnation of the config.
    var log: String
    /// The revision up to which everything was sent, or given up.
    var sent: Revision
    /// The claim of the sender that is sending; empty if none is.
    var owner = ""
    /// When the claim expires.
    var claimedUntil = Timestamp(milliseconds: 0)
    /// Whether a second sender asked for the claim meanwhile.
    var isWanted = false
    /// The failed attempts for the next revision.
    var failure: NotificationStatus.Failure?

    /// The name of the cell, which a later rule with the same id does not share.
    static func cellName(of rule: NotificationRule) -> String { "\(folder(of: rule))\((rule.after ?? 0).digits)" }

    /// The prefix of the cells of this rule and of earlier rules with the same id.
    static func folder(of rule: NotificationRule) -> String { "sent/\(rule.id)/" }

    /// The state of a rule without a cell.
    init(of rule: NotificationRule, log: String) {
        after = rule.after ?? 0
        self.log = log
        sent = after
    }

    /// The state in a cell; `nil` if the cell belongs to another rule or another log.
    init?(_ cell: Cell, of rule: NotificationRule, log: String) {
        guard let json = try? JSONValue(parsing: cell.bytes), json["log"]?.string == log,
            let after = json["after"]?.integer, after == rule.after ?? 0, let sent = json["sent"]?.integer
        else { return nil }
        self.init(of: rule, log: log)
        self.sent = sent
        owner = json["owner"]?.string ?? ""
        claimedUntil = Timestamp(milliseconds: json["until"]?.integer ?? 0)
        isWanted = json["wanted"]?.bool ?? false
        if let failure = json["failure"], let revision = failure["revision"]?.integer,
            let attempts = failure["attempts"]?.integer, let next = failure["next"]?.integer
        {
            self.failure = .init(
                revision: revision, attempts: Int(clamping: attempts), next: Timestamp(milliseconds: next),
                reason: failure["reason"]?.string ?? "")
        }
    }

    /// The content of the cell.
    var bytes: [UInt8] {
        JSONWriter.bytes { writer in
            writer.object { writer in
                writer.member("after", after)
                writer.member("log", log)
                writer.member("sent", sent)
                if !owner.isEmpty {
                    writer.member("owner", owner)
                    writer.member("until", claimedUntil.milliseconds)
                }
                if isWanted {
                    writer.name("wanted")
                    writer.value(true)
                }
                if let failure {
                    writer.name("failure")
                    writer.object { writer in
                        writer.member("revision", failure.revision)
                        writer.member("attempts", failure.attempts)
                        writer.member("next", failure.next.milliseconds)
                        writer.member("reason", failure.reason)
                    }
                }
            }
        }
    }

    /// Marks a revision as sent or given up, and forgets its failed attempts.
    mutating func pass(_ revision: Revision) {
        sent = max(sent, revision)
        if let failure, failure.revision <= sent { self.failure = nil }
    }
}

/// The notifications of a rule that were given up, each in a cell of the config.
struct DeadLetters: Sendable {
    let rule: NotificationRule
    let config: ConfigName
    let service: ConfigService

    /// The prefix of the cells of this rule and of earlier rules with the same id.
    static func folder(of rule: NotificationRule) -> String { "dead/\(rule.id)/" }

    private var prefix: String { "\(Self.folder(of: rule))\((rule.after ?? 0).digits)/" }

    private func name(_ revision: Revision) -> String { prefix + revision.digits }

    func page(after: Revision? = nil, limit: Int) async throws -> [NotificationStatus.DeadLetter] {
        try await service.cells(of: config, prefix: prefix, after: after.map { name($0) }, limit: limit)
            .compactMap { try? NotificationStatus.DeadLetter(wire: JSONValue(parsing: $0.bytes)) }
    }

    /// Stores a dead letter, in place of an earlier one of the same revision.
    func keep(_ letter: NotificationStatus.DeadLetter) async throws {
        let bytes = JSONWriter.bytes { letter.write(to: &$0) }
        let name = name(letter.revision)
        for _ in 0..<10 {
            let version = try await service.cell(name, in: config)?.version ?? 0
            if try await service.replaceCell(name, with: bytes, version: version, in: config) { return }
        }
        throw DiscfgError(
            .storeUnavailable, "The dead letters of “\(rule.id)” could not be stored: other processes change them too.",
            hint: "Try again.")
    }

    func remove(_ revision: Revision) async throws {
        let name = name(revision)
        while let cell = try await service.cell(name, in: config) {
            if try await service.replaceCell(name, with: nil, version: cell.version, in: config) { return }
        }
    }
}

extension Revision {
    /// 16 hexadecimal digits, which sort as the numbers do.
    fileprivate var digits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
