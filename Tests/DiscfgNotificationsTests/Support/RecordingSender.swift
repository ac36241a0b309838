import DiscfgCore
import DiscfgNotifications
import Synchronization

/// A sender that keeps what it is given, and does with it what a test says.
final class RecordingSender: NotificationSender {
    /// One notification that came here.
    struct Attempt: Sendable {
        var rule: NotificationRule
        var message: NotificationMessage
        /// Which it is of this rule, from 1.
        var number: Int
        /// Whether it was taken.
        var isTaken = false

        var revision: Revision { message.revision }
        var json: JSONValue? { try? JSONValue(parsing: message.body) }
    }

    /// What becomes of one.
    enum Answer: Sendable {
        case take
        case refuse(String = "no", retryAfter: Duration? = nil)
        /// Waits until the test lets it go on, and takes it then; or until the task is cancelled.
        case hold
        case fail(any Error)
    }

    private struct State {
        var attempts: [Attempt] = []
        var answer: @Sendable (Attempt) -> Answer
        var holding: [Int: CheckedContinuation<Void, any Error>] = [:]
        var beforeAnswer: (@Sendable (Attempt) async throws -> Void)?
    }

    private let state: Mutex<State>

    init(_ answer: @escaping @Sendable (Attempt) -> Answer = { _ in .take }) { state = Mutex(State(answer: answer)) }

    /// Everything that came, also what was refused.
    var attempts: [Attempt] { state.withLock { $0.attempts } }
    /// What was taken.
    var taken: [Attempt] { attempts.filter(\.isTaken) }
    /// How many are being held.
    var heldCount: Int { state.withLock { $0.holding.count } }

    /// The revisions that were taken of a rule, in their order.
    func revisions(_ rule: String = "r") -> [Revision] { taken.filter { $0.rule.id == rule }.map(\.revision) }

    /// The revisions that were tried by a rule, in their order.
    func tried(_ rule: String = "r") -> [Revision] { attempts.filter { $0.rule.id == rule }.map(\.revision) }

    /// What becomes of notifications from now on.
    func answers(_ answer: @escaping @Sendable (Attempt) -> Answer) { state.withLock { $0.answer = answer } }

    /// Has something happen while each notification is on its way.
    func whileSending(_ body: @escaping @Sendable (Attempt) async throws -> Void) {
        state.withLock { $0.beforeAnswer = body }
    }

    /// Lets all go on that are held.
    func letGo() {
        let held = state.withLock { state in
            defer { state.holding = [:] }
            return Array(state.holding.values)
        }
        for continuation in held { continuation.resume() }
    }

    func check(_ rule: NotificationRule) throws(DiscfgError) {
        if case .webhook("https://forbidden.example") = rule.target { throw DiscfgError(.forbidden, "No.") }
    }

    func send(_ message: NotificationMessage, by rule: NotificationRule) async throws {
        let (index, attempt, answer, before) = state.withLock { state in
            let number = state.attempts.count { $0.rule.id == rule.id } + 1
            let attempt = Attempt(rule: rule, message: message, number: number)
            state.attempts.append(attempt)
            return (state.attempts.count - 1, attempt, state.answer(attempt), state.beforeAnswer)
        }
        try await before?(attempt)
        switch answer {
        case .take: break
        case .refuse(let reason, let retryAfter): throw DeliveryFailure(reason, retryAfter: retryAfter)
        case .hold: try await hold(index)
        case .fail(let error): throw error
        }
        state.withLock { $0.attempts[index].isTaken = true }
    }

    private func hold(_ index: Int) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.holding[index] = continuation
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let held = state.withLock { $0.holding.removeValue(forKey: index) }
            held?.resume(throwing: CancellationError())
        }
    }
}
