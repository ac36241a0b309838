import DiscfgCore

/// Follows the log of a config, through lost connections, without missing a commit.
struct Watcher {
    let session: Session
    let selection: KeySelection
    /// The revision up to which everything was seen.
    var position: Revision
    /// The log that the position is of, if the store tells.
    private var log: String?
    /// How many more changes to wait for; `nil` for no end.
    var remaining: Int?
    private var failures = 0

    init(session: Session, selection: KeySelection, position: Revision, log: String?) {
        self.session = session
        self.selection = selection
        self.position = position
        self.log = log
    }

    /// Hands each commit over, until there were enough, or the task is cancelled.
    mutating func run(_ action: ChangeAction) async throws {
        while remaining != 0 {
            guard let page = try await nextPage() else { continue }
            for var commit in page.commits {
                if let remaining { commit.changes = Array(commit.changes.prefix(remaining)) }
                try await action.perform(commit)
                remaining = remaining.map { $0 - commit.changes.count }
                if remaining == 0 { return }
            }
            position = max(position, page.scanned)
            log = page.log ?? log
        }
    }

    /// The commits that came next, or `nil` when the store could not be asked; it says so, and waits a little.
    private mutating func nextPage() async throws -> ChangePage? {
        do {
            let query = ChangesQuery(after: position, selection: selection, wait: .seconds(30), log: log)
            let start = ContinuousClock.now
            let page = try await session.store.changes(query, in: session.config)
            // Where nothing waits, as in Lambda, each question is paid for.
            if page.scanned == position, ContinuousClock.now - start < Self.unwaited {
                try await Task.sleep(for: Self.unwaited)
            }
            if failures > 0 { Output.note("note: connected again; nothing was missed after revision \(position)") }
            failures = 0
            return page
        } catch let error as DiscfgError where error.isPassing {
            try Task.checkCancellation()
            let pause = Self.pause(after: failures)
            if failures == 0 { Output.note("note: \(error.message.printable) Trying again.") }
            failures += 1
            try await Task.sleep(for: pause)
            return nil
        }
    }

    /// An answer without anything new that comes sooner was not waited for; so long it takes until the next question then.
    private static let unwaited: Duration = .seconds(1)

    /// How long to wait after that many failures in a row: from a quarter of a second to ten seconds.
    static func pause(after failures: Int) -> Duration { .milliseconds(min(10_000, 250 << min(failures, 6))) }
}

extension DiscfgError {
    /// Whether trying again may help.
    fileprivate var isPassing: Bool { [.storeUnavailable, .outcomeUnknown, .overloaded].contains(code) }
}

extension Session {
    /// Does something, and meanwhile commits the expiry of keys: on a local store no server does.
    func expiringMeanwhile(_ body: () async throws -> Void) async throws {
        guard let local else { return try await body() }
        let config = config
        let expiry = Task {
            while !Task.isCancelled {
                // Cancelled means that it is over, and a failure is tried again.
                try? await Task.sleep(for: local.sweepInterval)
                _ = try? await local.sweep(config)
            }
        }
        defer { expiry.cancel() }
        try await body()
    }
}
