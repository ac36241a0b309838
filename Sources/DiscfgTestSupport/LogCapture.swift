public import Logging
import Synchronization

/// A log that a test can read: nothing is printed.
public final class LogCapture: Sendable {
    /// One line of the log.
    public struct Line: Sendable {
        /// How grave it is.
        public var level: Logger.Level
        /// The constant part.
        public var message: String
        /// The variable part, as text.
        public var metadata: [String: String]
    }

    private let state = Mutex<[Line]>([])

    /// An empty log.
    public init() {}

    /// What was logged so far.
    public var lines: [Line] { state.withLock { $0 } }

    /// A logger that writes here, everything from `trace` on.
    public var logger: Logger { Logger(label: "discfg.test") { _ in Handler(capture: self) } }

    private struct Handler: LogHandler {
        let capture: LogCapture
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }
            let line = Line(level: event.level, message: "\(event.message)", metadata: metadata.mapValues { "\($0)" })
            capture.state.withLock { $0.append(line) }
        }
    }
}
