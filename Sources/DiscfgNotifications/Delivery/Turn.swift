import DiscfgCore

/// A sender's turn at a rule: the claim that it notes before it sends, so that no other does the same meanwhile.
///
/// Nothing here is trusted but what the note says. A write whose reply was lost looks as if another had been first, so whoever
/// finds the note changed looks whose it is.
struct Turn {
    /// How far the rule has come, as far as is known here.
    var state: DeliveryState
    /// How many were sent that the note does not say yet.
    var unsaved = 0
    /// Whether nothing is kept of the rule.
    private(set) var isNew = true

    private let notifier: Notifier
    private let config: ConfigName
    private let rule: NotificationRule
    private let log: String
    /// No other turn has the name.
    private let owner = UniqueID.next()
    private var version: Int64 = 0
    private var hasClaimed = false

    private var service: ConfigService { notifier.service }
    private var options: Notifier.Options { notifier.options }

    init(_ notifier: Notifier, of config: ConfigName, log: String, by rule: NotificationRule) {
        self.notifier = notifier
        self.config = config
        self.rule = rule
        self.log = log
        state = DeliveryState(of: rule, log: log)
    }

    /// How a turn can end.
    enum Ending {
        /// The claim is let go; with when there will be something to do even if nothing changes.
        case over(Timestamp?)
        /// It is still ours, for somebody left word that there is more: the log has to be read to its end.
        case more
        /// Another has it, or it is gone: what the note says counts.
        case taken
    }

    /// Reads how far the rule has come.
    mutating func load() async throws {
        let note = try await service.note(DeliveryState.noteName(of: rule), in: config)
        let found = note.flatMap { DeliveryState($0, of: rule, log: log) }
        (version, isNew) = (note?.version ?? 0, found == nil)
        state = found ?? DeliveryState(of: rule, log: log)
    }

    /// Whether somebody else may be sending.
    func isSomebodyElses(at now: Timestamp) -> Bool {
        !state.owner.isEmpty && state.owner != owner && state.claimedUntil > now
    }

    /// Tells whoever has it that there is more; `false` where the note is another by now.
    mutating func leaveWord() async throws -> Bool {
        if state.isWanted { return true }
        var word = state
        word.isWanted = true
        return try await save(word)
    }

    /// Claims it, after which the log has to be read: word that was left is taken as heard.
    ///
    /// - Returns: `false` where somebody was first.
    mutating func claim() async throws -> Bool {
        hasClaimed = true
        var new = state
        (new.owner, new.claimedUntil, new.isWanted) = (owner, service.now + options.claim, false)
        return try await save(new)
    }

    /// Notes how far it has come every now and then, and that it goes on; `false` where another took over.
    mutating func keep() async throws -> Bool {
        let isLapsing = state.claimedUntil < service.now + options.claim / 2
        guard unsaved >= options.unsavedLimit || isLapsing else { return true }
        repeat {
            var new = state
            new.claimedUntil = service.now + options.claim
            if try await save(new) { return true }
        } while try await isStillOurs()
        return false
    }

    /// Ends the claim, unless there is more to do.
    mutating func release(until next: Timestamp?) async throws -> Ending {
        repeat {
            // A target that refuses gets its pause, whoever wants what.
            let isOver = next != nil || !state.isWanted
            var new = state
            new.isWanted = false
            (new.owner, new.claimedUntil) = isOver ? ("", state.claimedUntil) : (owner, service.now + options.claim)
            if try await save(new) { return isOver ? .over(next) : .more }
        } while try await isStillOurs()
        return .taken
    }

    /// Ends the claim when something failed, or the task was cancelled; where that fails as well, it lapses.
    func letGo() async {
        guard hasClaimed else { return }
        let turn = self
        // Of its own: a cancelled task could not write.
        await Task {
            var turn = turn
            guard (try? await turn.isStillOurs()) ?? false else { return }
            turn.state.owner = ""
            _ = try? await turn.save(turn.state)
        }.value
    }

    private mutating func save(_ new: DeliveryState) async throws -> Bool {
        let name = DeliveryState.noteName(of: rule)
        guard try await service.replaceNote(name, with: new.bytes, version: version, in: config) else { return false }
        (state, version, unsaved) = (new, version + 1, 0)
        return true
    }

    /// Looks at the note that was changed; how far we came is ours to say as long as the claim is.
    private mutating func isStillOurs() async throws -> Bool {
        guard let note = try await service.note(DeliveryState.noteName(of: rule), in: config),
            let found = DeliveryState(note, of: rule, log: log), found.owner == owner
        else { return false }
        version = note.version
        // Once heard it stays: that the note no longer has it may be our own write, whose reply was lost.
        state.isWanted = state.isWanted || found.isWanted
        return true
    }
}
