import AWSClient
import Logging

extension Processor {
    /// Takes a process that is due, with one write and no read before: its version, which the write makes larger, is
    /// the fence behind which every earlier worker stands.
    ///
    /// - Parameter id: The process.
    /// - Returns: Its item; `nil` if it is not due, and whatever an index that is behind says.
    /// - Throws: `AWSError`.
    func claim(_ id: String) async throws -> StoredItem? {
        let key = headKey(id)
        let token = clock.token()
        var update = ItemUpdate()
        update.setDue(clock.milliseconds + lease, of: key, in: table)
        update.increment(ProcessItem.version)
        // Counted before it begins: a step that takes its worker along uses its attempts up too.
        update.increment(ProcessItem.attempt)
        update.increment(ProcessItem.claimed)
        update.remove(ProcessItem.waiting)
        update.remove(ProcessItem.wake)
        let isDue = Condition.all([
            .absent(ProcessItem.stuck), .atMost(PatternTable.Attribute.due, .integer(clock.milliseconds)),
        ])
        do {
            return try await table.writeMarked(key, update, token: token, in: ProcessItem.token, if: isDue).item
        } catch let error as AWSError where error.code == .validation {
            // An item that is full, or that others have changed: it must not stop the other processes.
            try await setAside(
                id, PatternError(.tooLarge, "The process cannot be claimed: \(error.message)"), if: isDue)
            return nil
        }
    }

    /// Leaves a process that cannot be read, or written, to an operator.
    ///
    /// - Parameters:
    ///   - id: The process.
    ///   - error: Why.
    ///   - condition: What tells that nobody else has it.
    /// - Throws: `AWSError`.
    func setAside(_ id: String, _ error: PatternError, if condition: Condition) async throws {
        logger.error(
            "A process is set aside.",
            metadata: [
                "processor.name": "\(name)", "processor.process": "\(id)", "error.code": "\(error.code.rawValue)",
            ])
        let key = headKey(id)
        var update = ItemUpdate()
        update.increment(ProcessItem.version)
        // Where the item is full, this makes room; it was of use for the start only.
        update.remove(ProcessItem.startToken)
        setRest(.stuck, of: key, in: &update)
        var telling = update
        telling.set(ProcessItem.lastError, .string(error.description))
        update.remove(ProcessItem.lastError)
        for update in [telling, update] {
            do {
                _ = try await table.carryOut(table.write(key, update, if: condition))
                return
            } catch let error as AWSError where error.code == .validation {
                // No room for the reason.
            }
        }
    }
}
