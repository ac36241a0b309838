public import DiscfgCore

extension Notifier: NotificationStore {
    /// The rules without their secrets, with the progress and the dead letters that their cells contain.
    public func notifications(of config: ConfigName) async throws -> [NotificationStatus] {
        let record = try await service.record(of: config)
        var statuses: [NotificationStatus] = []
        for rule in record.settings.notifications {
            let cell = try await service.cell(DeliveryState.cellName(of: rule), in: config)
            let log = record.tail.incarnation
            let state =
                cell.flatMap { DeliveryState($0, of: rule, log: log) } ?? DeliveryState(of: rule, log: log)
            let most = NotificationStatus.deadLettersShown
            let letters = try await deadLetters(rule, config).page(limit: most + 1)
            var shown = rule
            shown.secret = nil
            statuses.append(
                NotificationStatus(
                    rule: shown, sent: state.sent, revision: record.tail.revision, failure: state.failure,
                    deadLetters: Array(letters.prefix(most)), hasMoreDeadLetters: letters.count > most))
        }
        return statuses
    }

    /// Adds the rule to the config's settings, with a generated secret if it is a webhook that has none.
    public func addNotification(_ rule: NotificationRule, to config: ConfigName) async throws -> NotificationRule {
        try sender.check(rule)
        var rule = rule
        if case .webhook = rule.target, rule.secret == nil { rule.secret = WebhookSecret.generate() }
        let settings = try await service.changeSettings(of: config) { settings in
            guard !settings.notifications.contains(where: { $0.id == rule.id }) else {
                throw DiscfgError.invalid(
                    "Config “\(config)” already has a notification “\(rule.id)”.",
                    hint: "Choose another name, or remove that one first.")
            }
            guard settings.notifications.count < NotificationRule.maximumCount else {
                throw DiscfgError.invalid(
                    "Config “\(config)” already has the maximum of \(NotificationRule.maximumCount) notifications.",
                    hint: "Remove one, or send to one target that others read from.")
            }
            settings.notifications = (settings.notifications + [rule]).sorted { $0.id < $1.id }
        }
        added.continuation.yield()
        return settings.notifications.first { $0.id == rule.id } ?? rule
    }

    /// Removes the rule from the config's settings, and then the cells with its progress and its dead letters.
    public func removeNotification(_ id: String, from config: ConfigName) async throws {
        let rule = try await rule(id, in: config)
        try await service.changeSettings(of: config) { settings in
            settings.notifications.removeAll { $0.id == id }
        }
        // A cell that a sender writes after this stays in the store, and no other rule uses its name.
        for folder in [DeliveryState.folder(of: rule), DeadLetters.folder(of: rule)] {
            while case let cells = try await service.cells(of: config, prefix: folder), !cells.isEmpty {
                for cell in cells {
                    _ = try await service.replaceCell(cell.name, with: nil, version: cell.version, in: config)
                }
            }
        }
    }

    /// Sends a test with the current revision from this process, once.
    public func testNotification(_ id: String, in config: ConfigName) async throws {
        let rule = try await rule(id, in: config)
        let revision = try await service.revision(of: config)
        let message = CloudEvent.test(of: config, at: revision, time: service.now, id: Commit.newID())
        do {
            try await sender.send(message, by: rule)
        } catch let failure as DeliveryFailure {
            throw DiscfgError(
                .deliveryFailed, "The test of “\(id)” failed: \(failure.reason)",
                hint: "Fix the target or its permissions, and test again.")
        }
    }

    /// Sends dead letters again, oldest first, and removes the cells of those that the target takes.
    public func replayNotifications(_ id: String, in config: ConfigName) async throws -> NotificationReplay {
        let rule = try await rule(id, in: config)
        let letters = deadLetters(rule, config)
        var replay = NotificationReplay(sent: 0, failed: 0, hasMore: false)
        var last: Revision?
        // Leaves time for one more attempt within the 29 seconds of a gateway.
        let end = ContinuousClock.now + .seconds(15)
        while case let page = try await letters.page(after: last, limit: 100), !page.isEmpty {
            for letter in page {
                // The caller must not wait for a timeout of every message, and one message that the target always
                // refuses must not stop the others.
                guard ContinuousClock.now < end else {
                    replay.hasMore = true
                    return replay
                }
                last = letter.revision
                switch try await sendAgain(letter.revision, by: rule, in: config) {
                case .sent:
                    replay.sent += 1
                    try await letters.remove(letter.revision)
                case .refused(let reason):
                    replay.failed += 1
                    try await letters.keep(
                        .init(
                            revision: letter.revision, attempts: letter.attempts + 1, time: service.now, reason: reason)
                    )
                // Its dead letter stays as it is, because it has the reason of the last attempt.
                case .gone: replay.failed += 1
                }
            }
        }
        return replay
    }

    /// The result of sending a dead letter again.
    private enum ReplayResult {
        case sent
        case refused(String)
        /// The log no longer has the commit.
        case gone
    }

    private func sendAgain(
        _ revision: Revision, by rule: NotificationRule, in config: ConfigName
    ) async throws -> ReplayResult {
        do {
            let query = ChangesQuery(after: revision - 1, limit: 1)
            let page = try await service.changes(query, in: config)
            guard let commit = try page.commits.first?.selecting(rule.selection), commit.revision == revision else {
                return .gone
            }
            try await sender.send(CloudEvent.message(of: commit, in: config, by: rule), by: rule)
            return .sent
        } catch let failure as DeliveryFailure {
            return .refused(failure.reason)
        } catch let error as DiscfgError where [.compacted, .futureRevision].contains(error.code) {
            return .gone
        }
    }

    private func rule(_ id: String, in config: ConfigName) async throws -> NotificationRule {
        let rules = try await service.record(of: config).settings.notifications
        guard let rule = rules.first(where: { $0.id == id }) else { throw DiscfgError.noNotification(id, in: config) }
        return rule
    }

    private func deadLetters(_ rule: NotificationRule, _ config: ConfigName) -> DeadLetters {
        DeadLetters(rule: rule, config: config, service: service)
    }
}
