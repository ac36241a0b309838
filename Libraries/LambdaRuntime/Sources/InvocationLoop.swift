import Logging

/// Takes one invocation after another on one connection.
struct InvocationLoop: Sendable {
    /// After a wait of this length, a lost connection does not count as a failed attempt: it is longer than connecting
    /// may take.
    private static let longWait: Duration = .seconds(10)

    private let address: RuntimeAddress
    private let connection: RuntimeConnection
    private let pauses: [Duration]
    private let logger: Logger
    private let handler: @Sendable (Invocation) async throws -> [UInt8]

    init(_ runtime: LambdaRuntime, _ handler: @escaping @Sendable (Invocation) async throws -> [UInt8]) {
        address = runtime.address
        connection = RuntimeConnection(to: runtime.address, maximumBody: LambdaRuntime.maximumEvent)
        pauses = runtime.pauses
        logger = runtime.logger
        self.handler = handler
    }

    /// Takes invocations until the task is cancelled or the runtime API no longer answers.
    func run() async throws(LambdaRuntimeError) {
        defer { connection.close() }
        while let answer = try await next() {
            guard let invocation = Invocation(answer) else {
                throw LambdaRuntimeError(
                    .unexpectedAnswer,
                    "The Lambda runtime API at \(address) sent an invocation without Lambda-Runtime-Aws-Request-Id.",
                    hint: "Check that AWS_LAMBDA_RUNTIME_API is the address of a runtime API.")
            }
            try await handle(invocation, isTooLarge: answer.isTooLarge)
        }
    }

    /// Waits for the next invocation.
    ///
    /// - Returns: The response of the API, with status 200; `nil` if the task is cancelled.
    private func next() async throws(LambdaRuntimeError) -> RuntimeAnswer? {
        var failures = 0
        while !Task.isCancelled {
            let start = ContinuousClock.now
            let reason: String
            var cause: (any Error)?
            do {
                let answer = try await connection.sendUntilCancelled(.next)
                if answer.status == 200 { return answer }
                if answer.status == 500 { throw broken("the request for the next invocation") }
                reason = "it answered the request for the next invocation with \(answer.status)"
            } catch let error as LambdaRuntimeError {
                throw error
            } catch {
                reason = "it did not answer"
                cause = error
            }
            if Task.isCancelled { break }
            if start.duration(to: .now) > Self.longWait { failures = 0 }
            guard failures < pauses.count else {
                throw .gone(address, "\(reason), \(failures + 1) times in a row", cause)
            }
            logger.info(
                "No invocation from the Lambda runtime API; trying again",
                metadata: ["reason": "\(reason)", "cause": "\(cause.map { "\($0)" } ?? "none")"])
            try? await Task.sleep(for: pauses[failures])
            failures += 1
        }
        return nil
    }

    private func handle(_ invocation: Invocation, isTooLarge: Bool) async throws(LambdaRuntimeError) {
        var logger = logger
        logger[metadataKey: "aws.request.id"] = "\(invocation.requestID)"
        let answer: RuntimeRequest
        if isTooLarge {
            logger.error("The event is too large", metadata: ["limit": "\(LambdaRuntime.maximumEvent)"])
            let message = "The event has over \(LambdaRuntime.maximumEvent) bytes. Split it."
            answer = .failure(of: invocation.requestID, InvocationFailure("Runtime.EventTooLarge", message))
        } else {
            logger.debug("Invocation started", metadata: ["event.size": "\(invocation.body.count)"])
            // A task of its own is not cancelled with this one, so an invocation that has started is finished.
            switch await Task(operation: { [handler] in try await handler(invocation) }).result {
            case .success(let body): answer = .response(to: invocation.requestID, body)
            case .failure(let error):
                let failure = InvocationFailure(error)
                logger.error("The invocation failed", metadata: ["error.type": "\(failure.type)"])
                answer = .failure(of: invocation.requestID, failure)
            }
        }
        try await post(answer, logger)
    }

    /// Posts the answer to an invocation; a failure is only logged, unless the process has to end.
    private func post(_ answer: RuntimeRequest, _ logger: Logger) async throws(LambdaRuntimeError) {
        for isSecond in [false, true] {
            let status: UInt
            do { status = try await connection.send(answer).status } catch {
                // The answer can be posted twice: Lambda takes the first one.
                logger.info("The connection was lost while an answer was posted", metadata: ["cause": "\(error)"])
                continue
            }
            switch status {
            case 200..<300: logger.debug("Invocation answered", metadata: ["size": "\(answer.body?.count ?? 0)"])
            case 500: throw broken("an answer")
            case 413:
                logger.error(
                    "The answer is too large; Lambda sends the client an error",
                    metadata: ["size": "\(answer.body?.count ?? 0)"])
            case 400..<500 where isSecond: logger.info("The answer was accepted before the connection was lost")
            default: logger.error("The answer was refused", metadata: ["http.status": "\(status)"])
            }
            return
        }
        logger.error("The answer could not be posted")
    }

    private func broken(_ request: String) -> LambdaRuntimeError {
        LambdaRuntimeError(
            .brokenEnvironment,
            "The Lambda runtime API at \(address) answered \(request) with 500: this environment is broken.",
            hint: "End this process; Lambda starts another when it needs one.")
    }
}
