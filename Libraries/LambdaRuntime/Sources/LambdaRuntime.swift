public import Logging

/// A custom runtime for AWS Lambda: it takes invocations from the runtime API and posts their answers.
///
///     let runtime = try LambdaRuntime(environment: environment, logger: logger)
///     try await runtime.run { invocation in invocation.body }
///
/// Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html
public struct LambdaRuntime: Sendable {
    /// Maximum size of an event in bytes: Lambda's limit of 6 MB, and room for what wraps it.
    static let maximumEvent = 7 << 20

    let address: RuntimeAddress
    let concurrency: Int
    let logger: Logger
    /// The pauses before each new attempt to reach the runtime API; after the last the run ends with `gone`.
    ///
    /// The first is zero, because usually only the connection was lost.
    var pauses: [Duration] = [0, 10, 20, 40, 80, 160, 320, 640].map { .milliseconds($0) }

    /// A runtime for the API at an address.
    ///
    /// - Parameters:
    ///   - address: Where the runtime API listens.
    ///   - concurrency: Maximum number of invocations at a time; at least 1.
    ///   - logger: The log. Each line about an invocation has `aws.request.id`; no line contains an event, an answer or
    ///     the text of an error.
    public init(address: RuntimeAddress, concurrency: Int = 1, logger: Logger) {
        self.address = address
        self.concurrency = max(1, concurrency)
        self.logger = logger
    }

    /// A runtime for the environment of a process in Lambda.
    ///
    /// - Parameters:
    ///   - environment: `AWS_LAMBDA_RUNTIME_API` is the address of the runtime API, `AWS_LAMBDA_MAX_CONCURRENCY` the
    ///     maximum number of invocations at a time, by default 1.
    ///   - logger: The log.
    /// - Throws: `notInLambda` if the first is not set, `invalidEnvironment` if one of them is not valid.
    public init(environment: [String: String], logger: Logger) throws(LambdaRuntimeError) {
        guard let api = environment["AWS_LAMBDA_RUNTIME_API"], !api.isEmpty else {
            throw LambdaRuntimeError(
                .notInLambda,
                "AWS_LAMBDA_RUNTIME_API is not set: this program only runs in AWS Lambda, which sets the variable.",
                hint:
                    "Deploy it as a function with the runtime provided.al2023. To try it on this machine, start it with"
                    + " the AWS Lambda Runtime Interface Emulator.")
        }
        var concurrency = 1
        if let text = environment["AWS_LAMBDA_MAX_CONCURRENCY"], !text.isEmpty {
            guard let number = UInt16(text), number > 0 else {
                throw LambdaRuntimeError(
                    .invalidEnvironment,
                    "AWS_LAMBDA_MAX_CONCURRENCY is “\(text)”, which is not a number from 1 to \(UInt16.max).",
                    hint: "Lambda sets this variable. Do not set it if you start the program yourself.")
            }
            concurrency = Int(number)
        }
        self.init(address: try RuntimeAddress(api), concurrency: concurrency, logger: logger)
    }

    /// Takes invocations until the runtime API no longer answers or the task is cancelled.
    ///
    /// At most as many invocations as the concurrency run at a time, each with a connection of its own. If the task is
    /// cancelled, no more are taken, and those that have started are finished first: a handler is not cancelled. If one
    /// connection fails for good, the others end in the same way.
    ///
    /// - Parameter handler: Answers an invocation. If it throws, Lambda is sent the `InvocationFailure`, or of any
    ///   other error the name of its type. Lambda accepts answers of up to 6 MB; for a larger one it sends the client
    ///   an error. It kills the process if the handler does not return before the deadline.
    /// - Throws: `gone` if the runtime API no longer answers, `brokenEnvironment` if it answers that the process has to
    ///   end, `unexpectedAnswer` if it sends an invocation without an id. The process should end: Lambda starts
    ///   another.
    public func run(
        _ handler: @escaping @Sendable (Invocation) async throws -> [UInt8]
    ) async throws(LambdaRuntimeError) {
        let failure = await withTaskGroup(of: LambdaRuntimeError?.self) { group in
            for _ in 0..<concurrency {
                let loop = InvocationLoop(self, handler)
                group.addTask {
                    do throws(LambdaRuntimeError) {
                        try await loop.run()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            var first: LambdaRuntimeError?
            for await failure in group where failure != nil && first == nil {
                first = failure
                group.cancelAll()
            }
            return first
        }
        if let failure { throw failure }
    }

    /// Reports to Lambda that the function cannot start, instead of `run`; then the process should end.
    ///
    /// - Parameter failure: The reason.
    /// - Throws: `gone` if the runtime API could not be reached in two attempts, `unexpectedAnswer` if it refused the
    ///   report.
    public func reportInitializationFailure(_ failure: InvocationFailure) async throws(LambdaRuntimeError) {
        let connection = RuntimeConnection(to: address, maximumBody: Self.maximumEvent)
        defer { connection.close() }
        let request = RuntimeRequest.initializationFailure(failure)
        var status: UInt?
        var cause: (any Error)?
        for _ in 0..<2 where status == nil {
            do { status = try await connection.send(request).status } catch { cause = error }
        }
        guard let status else { throw .gone(address, "the reason why the function cannot start was not sent", cause) }
        guard (200..<300).contains(status) else {
            throw LambdaRuntimeError(
                .unexpectedAnswer,
                "The Lambda runtime API at \(address) refused the report that the function cannot start"
                    + " (\(failure.type)) with \(status).")
        }
    }
}

extension LambdaRuntimeError {
    /// The API at an address no longer answers.
    static func gone(_ address: RuntimeAddress, _ what: String, _ cause: (any Error)?) -> LambdaRuntimeError {
        LambdaRuntimeError(
            .gone, "The Lambda runtime API at \(address) does not answer: \(what).",
            hint: "End this process; Lambda starts another when it needs one.", cause: cause)
    }
}
