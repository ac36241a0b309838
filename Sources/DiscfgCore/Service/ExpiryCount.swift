import Synchronization

/// How many commits of this process were made because something was overdue.
final class ExpiryCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    /// Counts those among commits that were appended.
    func note(_ commits: [Commit]) {
        let expired = commits.count { $0.changes.first?.kind == .expire }
        if expired > 0 { count.wrappingAdd(expired, ordering: .relaxed) }
    }
}
