import Logging

/// Hands a record to a handler, or to what takes those that never succeed.
enum PoisonGuard {
    static func handle<Record>(
        _ record: Record, _ logger: Logger, _ metadata: @autoclosure () -> Logger.Metadata,
        _ onPoison: (@Sendable (Record, any Error) async throws -> Void)?,
        _ handler: @Sendable (Record) async throws -> Void
    ) async -> RecordOutcome {
        do {
            try await handler(record)
            return .handled
        } catch {
            guard let onPoison, (error as? PatternError)?.code == .poison else {
                logger.warn("A record failed", of: error, metadata())
                return .failed(error)
            }
            do {
                try await onPoison(record, error)
                logger.warn("A record that never will succeed was put aside", of: error, metadata())
                return .buried
            } catch {
                logger.warn("A record that never will succeed could not be put aside", of: error, metadata())
                return .failed(error)
            }
        }
    }
}
