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

/// The Lambda functions of discfg: one program, of which the handler's name says what it does.
///
/// `api` answers HTTP, `stream` sends notifications of what the table's stream tells, `schedule` keeps the store tidy.
/// `DISCFG_STORE` names the table. Nothing is asked of the store before the first invocation, so that a start costs nothing.
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
        // Where nobody can be told there is nobody to tell that.
        _ = write(STDERR_FILENO, text, text.count)
        exit(1)
    }
}

/// What a function's handler can be.
enum Handler: String {
    case api, stream, schedule

    /// - Throws: `DiscfgError` with code `invalidRequest` for a name that means none.
    init(named name: String) throws(DiscfgError) {
        guard let handler = Handler(rawValue: name) else {
            throw .invalid(
                "There is no handler “\(name)”.", hint: "Set the function's handler to api, stream or schedule.")
        }
        self = handler
    }
}

extension Invocation {
    /// When the store has to have answered: so long before the end that there is time to tell of it.
    var storeDeadline: ContinuousClock.Instant { deadline - .milliseconds(500) }
}

/// What one handler does.
protocol Function: Sendable {
    /// Answers an invocation with JSON.
    func answer(_ invocation: Invocation) async throws -> [UInt8]
}
