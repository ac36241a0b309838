import DiscfgCore

/// A sender's claim on a rule: it is stored in a cell before anything is sent, so that no other sender does the same.
///
/// Only the stored cell decides. A write whose reply was lost looks like a conflict, so after every conflict the cell
/// is read to find its owner.
struct DeliveryClaim {
    /// The progress of the rule, as far as it is known here.
    var state: DeliveryState
    /// The number of messages that were sent and are not yet counted in the cell.
    var unsaved = 0
    /// Whether the rule has no cell.
    private(set) var isNew = true

    private let notifier: Notifier
    private let config: ConfigName
    private let rule: NotificationRule
    private let log: String
    /// The name of this claim, which no other claim has.
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

    /// How a claim can end.
    enum Ending {
        /// The claim is released. The time is when there is something to do even if nothing changes; `nil` for never.
        case released(Timestamp?)
        /// The claim is kept, because another sender asked for it: the log has to be read to its end.
        case kept
        /// The claim is lost: another sender has it, or the cell is gone.
        case lost
    }

    /// Reads the progress of the rule.
    mutating func load() async throws {
        let cell = try await service.cell(DeliveryState.cellName(of: rule), in: config)
        let found = cell.flatMap { DeliveryState($0, of: rule, log: log) }
        (version, isNew) = (cell?.version ?? 0, found == nil)
        state = found ?? DeliveryState(of: rule, log: log)
    }

    /// Whether another sender may be sending.
    func isHeldByAnother(at now: Timestamp) -> Bool {
        !state.owner.isEmpty && state.owner != owner && state.claimedUntil > now
    }

    /// Sets `isWanted` in the cell, so that the owner of the claim reads the log again before it releases the claim.
    ///
    /// - Returns: `false` if the cell has changed since it was read.
    mutating func markWanted() async throws -> Bool {
        if state.isWanted { return true }
        var wanted = state
        wanted.isWanted = true
        return try await save(wanted)
    }

    /// Takes the claim, and resets `isWanted`; the log has to be read after this.
    ///
    /// - Returns: `false` if the cell has changed since it was read.
    mutating func take() async throws -> Bool {
        hasClaimed = true
        var new = state
        (new.owner, new.claimedUntil, new.isWanted) = (owner, service.now + options.claim, false)
        return try await save(new)
    }

    /// Stores the progress and extends the claim, if either is due.
    ///
    /// - Returns: `false` if the claim is lost.
    mutating func renew() async throws -> Bool {
        let isLapsing = state.claimedUntil < service.now + options.claim / 2
        guard unsaved >= options.unsavedLimit || isLapsing else { return true }
        repeat {
            var new = state
            new.claimedUntil = service.now + options.claim
            if try await save(new) { return true }
        } while try await reload()
        return false
    }

    /// Stores the progress and releases the claim, unless another sender has set `isWanted`.
    ///
    /// - Parameter next: When a target that refused is tried again; `nil` if none refused.
    /// - Returns: Whether the claim is released, kept or lost.
    /// - Throws: `DiscfgError` if the store fails.
    mutating func release(until next: Timestamp?) async throws -> Ending {
        repeat {
            // Keep the back-off even if new commits arrived.
            let isOver = next != nil || !state.isWanted
            var new = state
            new.isWanted = false
            (new.owner, new.claimedUntil) = isOver ? ("", state.claimedUntil) : (owner, service.now + options.claim)
            if try await save(new) { return isOver ? .released(next) : .kept }
        } while try await reload()
        return .lost
    }

    /// Releases the claim after an error or a cancellation; if that fails too, the claim expires.
    func abandon() async {
        guard hasClaimed else { return }
        let claim = self
        // In a task of its own, because a cancelled task could not write.
        await Task {
            var claim = claim
            guard (try? await claim.reload()) ?? false else { return }
            claim.state.owner = ""
            _ = try? await claim.save(claim.state)
        }.value
    }

    private mutating func save(_ new: DeliveryState) async throws -> Bool {
        let name = DeliveryState.cellName(of: rule)
        guard try await service.replaceCell(name, with: new.bytes, version: version, in: config) else { return false }
        (state, version, unsaved) = (new, version + 1, 0)
        return true
    }

    /// Reads the cell after a conflict.
    ///
    /// The progress that is known here stays as it is: only the owner of the claim changes it.
    /// - Returns: `false` if the claim is lost.
    private mutating func reload() async throws -> Bool {
        guard let cell = try await service.cell(DeliveryState.cellName(of: rule), in: config),
            let found = DeliveryState(cell, of: rule, log: log), found.owner == owner
        else { return false }
        version = cell.version
        // Never back to `false`: a cell without it may be our own write, whose reply was lost.
        state.isWanted = state.isWanted || found.isWanted
        return true
    }
}
