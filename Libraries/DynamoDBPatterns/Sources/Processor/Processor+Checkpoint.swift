import AWSClient

/// What became of a worker's write.
enum ProcessSaved<State: Codable & Sendable>: Sendable {
    case saved(ProcessHead<State>)
    /// A signal came that the step did not see, or the process was cancelled; its item, which is still this worker's.
    case changed(StoredItem)
    /// Another worker has taken the process over: nothing was written.
    case fenced
    /// What the step wants written cannot be; nothing was.
    case refused(PatternError)
}

extension Processor {
    /// Writes down what a worker did, if the process is still its own: with the outbox, in one transaction.
    func save(
        _ move: ProcessMove<State>, of id: String, over head: ProcessHead<State>
    ) async throws -> ProcessSaved<State> {
        let key = headKey(id)
        let token = clock.token()
        var next = move.head
        next.version = head.version + 1
        next.claimedUntil = clock.milliseconds + lease
        next.messages += Int64(move.outgoing.messages.count)
        var update = ItemUpdate()
        do {
            try next.write(to: &update)
        } catch {
            return .refused(PatternError(.invalidArgument, "The state cannot be written down.", cause: error))
        }
        update.set(ProcessItem.token, .string(token))
        setRest(move.rest, of: key, in: &update)
        var conditions = [Condition.equals(ProcessItem.version, .integer(head.version))]
        if move.heedsSignals { conditions.append(.equals(ProcessItem.signalCount, .integer(head.signalCount))) }
        // One that was cancelled meanwhile does not go forward.
        if next.phase == .running || next.phase == .done, head.cancellation == nil {
            conditions.append(.absent(ProcessItem.cancellation))
        }
        let write = table.write(key, update, if: .all(conditions))
        do {
            let refused: StoredItem?
            if move.outgoing.isEmpty {
                guard case .refused(let item, _) = try await table.carryOut(write) else { return .saved(next) }
                refused = item
            } else {
                let writes = [write] + outboxWrites(move.outgoing.messages, of: id, from: head.messages)
                let outcome = try await table.carryOut(writes, with: move.outgoing.writes)
                guard case .refused(let reasons) = outcome else { return .saved(next) }
                guard reasons.first?.failed ?? true else {
                    return .refused(
                        PatternError(
                            .conflict, "A write that the step asked for was refused.",
                            hint: "Or an earlier process with this identity has messages that were not sent."))
                }
                refused = reasons.first?.item
            }
            // An earlier try of this very write may have been carried out, and its answer lost.
            if refused?[ProcessItem.token]?.string == token { return .saved(next) }
            guard let refused, refused[ProcessItem.version]?.int64 == head.version else { return .fenced }
            return .changed(refused)
        } catch let error as PatternError {
            // More than a transaction takes.
            return .refused(error)
        } catch let error as AWSError where error.isRefusalOfTable && !move.outgoing.writes.isEmpty {
            return .refused(
                PatternError(
                    .invalidArgument, "DynamoDB refuses a write that the step asked for: \(error.message)",
                    hint: "Look whether its table is there, and what the worker's role may write.", cause: error))
        } catch let error as AWSError where error.isRefusalOfRequest {
            return .refused(
                PatternError(
                    .tooLarge, "DynamoDB refuses what the step wants written: \(error.message)",
                    hint: "An item may have 400 KB, a transaction 100 items and 4 MB.", cause: error))
        }
    }

    /// Says when, and whether, somebody goes on with a process.
    func setRest(_ rest: ProcessMove<State>.Rest, of key: ItemKey, in update: inout ItemUpdate) {
        let now = clock.milliseconds
        var marks: [String: AttributeValue] = [:]
        switch rest {
        case .claimed:
            update.setDue(now + lease, of: key, in: table)
            marks[ProcessItem.claimed] = .integer(1)
        case .until(let moment): update.setDue(moment, of: key, in: table)
        case .waiting(let moment):
            update.setDue(moment, of: key, in: table)
            marks[ProcessItem.waiting] = .bool(true)
        case .ready:
            update.setDue(now, of: key, in: table)
            marks[ProcessItem.wake] = .string(ProcessWake.run)
        case .stuck:
            update.setDue(now, in: stuckPrefix.text + "0")
            marks[ProcessItem.stuck] = .bool(true)
        case .ended:
            update.removeDue()
            if let retention {
                update.set(PatternTable.Attribute.timeToLive, .integer(now / 1000 + retention))
            }
        }
        for mark in [ProcessItem.claimed, ProcessItem.waiting, ProcessItem.wake, ProcessItem.stuck] {
            if let value = marks[mark] { update.set(mark, value) } else { update.remove(mark) }
        }
    }
}

extension ItemUpdate {
    /// Puts the item into a partition of the index that does not follow from its key.
    mutating func setDue(_ milliseconds: Int64, in partition: String) {
        set(PatternTable.Attribute.duePartition, .string(partition))
        set(PatternTable.Attribute.due, .integer(milliseconds))
    }
}

extension AWSError {
    /// Whether the request is wrong in itself, such as one with an item that is too large: no other try helps.
    fileprivate var isRefusalOfRequest: Bool {
        code == .validation
            || cancellationReasons.contains { $0.code == "ValidationError" }
    }

    /// Whether a table is not there, or not for the worker's role.
    fileprivate var isRefusalOfTable: Bool { code == .resourceNotFound || code == "AccessDeniedException" }
}
