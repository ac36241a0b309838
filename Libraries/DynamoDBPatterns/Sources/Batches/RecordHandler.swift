#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Logging

/// What the processors of batches share: a handler of records, and what takes those that never succeed.
struct RecordHandler<Record: LambdaRecord>: Sendable {
    let name: String
    let clock: PatternClock
    let logger: Logger
    let onPoison: (@Sendable (Record, any Error) async throws -> Void)?
    let handler: @Sendable (Record) async throws -> Void

    /// A handler; throws `PatternError` with code `invalidArgument` for a name that is not allowed.
    init(
        _ name: String, _ clock: PatternClock, _ logger: Logger,
        onPoison: (@Sendable (Record, any Error) async throws -> Void)?,
        handler: @escaping @Sendable (Record) async throws -> Void
    ) throws(PatternError) {
        try PatternName.check(name, of: Record.processor)
        self.name = name
        self.clock = clock
        self.logger = logger
        self.onPoison = onPoison
        self.handler = handler
    }

    /// Hands records to the handler, in their order, until one fails.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - deadline: When to begin no further record.
    ///   - isFirst: Whether these are the first of their batch: the first record is always begun.
    /// - Returns: How far it came.
    func handle(_ records: [Record], deadline: Date?, isFirst: Bool) async -> BatchOutcome {
        await OrderedBatch.run(
            records, mayBegin: { isFirst && $0 == 0 || deadline.map { clock.now() < $0 } ?? true },
            sequenceNumber: \.itemIdentifier, handle: handle)
    }

    private func handle(_ record: Record) async -> RecordOutcome {
        do {
            try await handler(record)
            return .handled
        } catch {
            guard let onPoison, (error as? PatternError)?.code == .poison else {
                warn("A record failed", error, record)
                return .failed(error)
            }
            do {
                try await onPoison(record, error)
                warn("A record that never will succeed was put aside", error, record)
                return .buried
            } catch {
                warn("A record that never will succeed could not be put aside", error, record)
                return .failed(error)
            }
        }
    }

    private func warn(_ message: Logger.Message, _ error: any Error, _ record: Record) {
        logger.warn(message, of: error, ["processor": "\(name)", Record.idInLogs: "\(record.id)"])
    }
}
