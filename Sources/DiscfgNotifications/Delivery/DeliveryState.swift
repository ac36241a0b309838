import DiscfgCore

/// How far a rule has come: what is kept of it between two deliveries, and what keeps two senders from doing the same.
///
/// It is one note of the config, which is only ever replaced by who has read it. A sender claims it for a while before it sends;
/// who comes meanwhile leaves word that there is more, and goes.
struct DeliveryState: Sendable, Hashable {
    /// What the rule said when this began; another one begins anew.
    var after: Revision
    /// The incarnation of the config.
    var log: String
    /// The revision up to which everything was sent, or given up.
    var sent: Revision
    /// Who is sending; empty where nobody is.
    var owner = ""
    /// Until when the sender may take that it is alone.
    var claimedUntil = Timestamp(milliseconds: 0)
    /// Whether somebody came while another was sending.
    var isWanted = false
    /// What stands in the way of the next one.
    var failure: NotificationStatus.Failure?

    /// The name of the note; another rule of that name has another, so that the two never take each other's for their own.
    static func noteName(of rule: NotificationRule) -> String { "\(folder(of: rule))\((rule.after ?? 0).digits)" }

    /// What the names of the notes begin with, of this rule and of those that had its name before.
    static func folder(of rule: NotificationRule) -> String { "sent/\(rule.id)/" }

    /// The state of a rule of which nothing is kept yet.
    init(of rule: NotificationRule, log: String) {
        after = rule.after ?? 0
        self.log = log
        sent = after
    }

    /// The state that a note holds, if it is about this rule and this config.
    init?(_ note: Note, of rule: NotificationRule, log: String) {
        guard let json = try? JSONValue(parsing: note.bytes), json["log"]?.string == log,
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

    /// What the note holds.
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

    /// Goes on beyond a revision, and what stood in its way.
    mutating func pass(_ revision: Revision) {
        sent = max(sent, revision)
        if let failure, failure.revision <= sent { self.failure = nil }
    }
}

/// What was given up, as a note of the config.
struct DeadLetters: Sendable {
    let rule: NotificationRule
    let config: ConfigName
    let service: ConfigService

    /// What the names of the notes begin with, of this rule and of those that had its name before.
    static func folder(of rule: NotificationRule) -> String { "dead/\(rule.id)/" }

    private var prefix: String { "\(Self.folder(of: rule))\((rule.after ?? 0).digits)/" }

    private func name(_ revision: Revision) -> String { prefix + revision.digits }

    func page(after: Revision? = nil, limit: Int) async throws -> [NotificationStatus.DeadLetter] {
        try await service.notes(of: config, prefix: prefix, after: after.map { name($0) }, limit: limit)
            .compactMap { try? NotificationStatus.DeadLetter(wire: JSONValue(parsing: $0.bytes)) }
    }

    /// Keeps one; where there is one of that revision already, the newer takes its place.
    func keep(_ letter: NotificationStatus.DeadLetter) async throws {
        let bytes = JSONWriter.bytes { letter.write(to: &$0) }
        let name = name(letter.revision)
        for _ in 0..<10 {
            let version = try await service.note(name, in: config)?.version ?? 0
            if try await service.replaceNote(name, with: bytes, version: version, in: config) { return }
        }
        throw DiscfgError(
            .storeUnavailable, "Others change the dead letters of “\(rule.id)” at the same time.", hint: "Try again.")
    }

    func remove(_ revision: Revision) async throws {
        let name = name(revision)
        while let note = try await service.note(name, in: config) {
            if try await service.replaceNote(name, with: nil, version: note.version, in: config) { return }
        }
    }
}

extension Revision {
    /// 16 hexadecimal digits, whose order is that of the numbers.
    fileprivate var digits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
