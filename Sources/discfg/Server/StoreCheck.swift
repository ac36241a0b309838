import DiscfgCore
import ServiceLifecycle

/// Reports, soon after the start of a server, that its store cannot be used.
///
/// The server starts all the same: a store that cannot be reached now may be reached later, and the server itself can create a table.
struct StoreCheck: Service {
    let session: Session

    func run() async throws {
        await cancelWhenGracefulShutdown {
            if let problem = await Self.problem(with: session.store, session.settings), !Task.isCancelled {
                Output.note(problem)
            }
        }
        // The end of a service ends the server.
        try await gracefulShutdown()
    }

    /// A text about why a store cannot be read; `nil` if it can.
    static func problem(with store: any ConfigStore, _ settings: Settings) async -> String? {
        do {
            // As `/ready` does.
            _ = try await store.revision(of: .default)
            return nil
        } catch {
            let error = settings.completed(error)
            let known = error as? DiscfgError
            return """
                warning: the store \(settings.store) cannot be used now: \((known?.message ?? "\(error)").printable)
                \(known?.hint.map { "hint: \($0.printable)\n" } ?? "")\
                note: the server runs, and tries again with each request
                """
        }
    }
}
