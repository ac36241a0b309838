import DiscfgCore
import LambdaRuntime
import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The Lambda functions of discfg: one program for three handlers.
///
/// `api` answers HTTP, `stream` sends notifications of the commits in the table's stream, `schedule` does maintenance.
/// `DISCFG_STORE` is the table. The store is not read before the first invocation, so a cold start costs no requests.
@main
struct DiscfgLambda {
    static func main() async {
        let executor = EventLoopExecutor.single()
        let environment = ProcessInfo.processInfo.environment
        var logger = Logger(label: "discfg") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = environment["DISCFG_LOG_LEVEL"].flatMap { Logger.Level(rawValue: $0) } ?? .warning
        do {
            let runtime = try LambdaRuntime(environment: environment, logger: logger)
            let function: any Function
            do {
                let handler = try Handler(named: environment["_HANDLER"] ?? "")
                function = try Backend(environment: environment, logger: logger).function(handler, on: executor)
            } catch {
                try await runtime.reportInitializationFailure(InvocationFailure("Discfg.Configuration", "\(error)"))
                end("\(error)")
            }
            try await runtime.run { invocation in
                try await withTaskExecutorPreference(executor) { try await function.answer(invocation) }
            }
        } catch {
            end(error.message + (error.hint.map { " \($0)" } ?? ""))
        }
    }

    private static func end(_ reason: String) -> Never {
        let text = Array("discfg-lambda: \(reason)\n".utf8)
        // Nothing to do if stderr is closed.
        _ = write(STDERR_FILENO, text, text.count)
        exit(1)
    }
}

/// The handlers of the functions.
enum Handler: String {
    case api, stream, schedule

    /// - Throws: `DiscfgError` with code `invalidRequest` if no handler has this name.
    init(named name: String) throws(DiscfgError) {
        guard let handler = Handler(rawValue: name) else {
            throw .invalid(
                "There is no handler “\(name)”.", hint: "Set the function's handler to api, stream or schedule.")
        }
        self = handler
    }
}

extension Invocation {
    /// The deadline for the store, which leaves time to send an answer.
    var storeDeadline: ContinuousClock.Instant { deadline - .milliseconds(500) }
}

/// One handler.
protocol Function: Sendable {
    /// Answers an invocation with JSON.
    func answer(_ invocation: Invocation) async throws -> [UInt8]
}
