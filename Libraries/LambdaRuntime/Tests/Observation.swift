import Logging
import Synchronization

/// A gate that stays closed until a test opens it.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    /// Waits until it is open, also where the task is cancelled.
    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Lets all through, now and later.
    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// What was logged, with all that was said beside it.
final class LogText: Sendable {
    private let state = Mutex<[String]>([])

    /// A line for each event: the level, the message and the metadata.
    var lines: [String] { state.withLock { $0 } }

    /// A logger that writes here, everything from `trace` on.
    var logger: Logger { Logger(label: "test") { _ in Handler(text: self) } }

    private struct Handler: LogHandler {
        let text: LogText
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            let line = "\(event.level): \(event.message) " + all.map { "\($0)=\($1)" }.joined(separator: " ")
            text.state.withLock { $0.append(line) }
        }
    }
}
