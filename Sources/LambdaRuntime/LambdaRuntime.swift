public import Logging

/// The part of a Lambda function that talks to Lambda: it takes invocations from the runtime API, and posts their
/// answers.
///
///     let runtime = try LambdaRuntime(environment: environment, logger: logger)
///     try await runtime.run { invocation in invocation.body }
///
/// Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html
public struct LambdaRuntime: Sendable {
    /// The most bytes of an event: Lambda's own limit is 6 MB, and what it wraps them in is small.
    static let maximumEvent = 7 << 20

    let address: RuntimeAddress
    let concurrency: Int
    let logger: Logger
    /// How long to wait before each new try to reach the runtime API; after the last it is taken to be gone.
    ///
    /// The first is at once: a connection that broke is most often the only thing that broke.
    var pauses: [Duration] = [0, 10, 20, 40, 80, 160, 320, 640].map { .milliseconds($0) }

    /// A runtime for the API at an address.
    ///
    /// - Parameters:
    ///   - address: Where the runtime API listens.
    ///   - concurrency: How many invocations are taken at a time; less than 1 is 1.
    ///   - logger: Where it says what it does. Each line about an invocation has `aws.request.id`; none has an event,
    ///     an answer or what an error says.
    public init(address: RuntimeAddress, concurrency: Int = 1, logger: Logger) {
        self.address = address
        self.concurrency = max(1, concurrency)
        self.logger = logger
    }

    /// The runtime that the environment of a process in Lambda says.
    ///
    /// - Parameters:
    ///   - environment: `AWS_LAMBDA_RUNTIME_API` says where the runtime API listens, `AWS_LAMBDA_MAX_CONCURRENCY` how
    ///     many invocations are taken at a time: 1 where it is not set.
    ///   - logger: Where it says what it does.
    /// - Throws: `notInLambda` where the first is not set, `invalidEnvironment` where one of them cannot be understood.
    public init(environment: [String: String], logger: Logger) throws(LambdaRuntimeError) {
        guard let api = environment["AWS_LAMBDA_RUNTIME_API"], !api.isEmpty else {
            throw LambdaRuntimeError(
                .notInLambda,
                "This program is started by AWS Lambda, which says in AWS_LAMBDA_RUNTIME_API where to take invocations;"
                    + " the variable is not set.",
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
                    hint: "Lambda sets it; leave it out where something else starts this program.")
            }
            concurrency = Int(number)
        }
        self.init(address: try RuntimeAddress(api), concurrency: concurrency, logger: logger)
    }

    /// Takes invocations until the runtime API goes away or the task is cancelled.
    ///
    /// As many invocations are under way at a time as the concurrency says, each with a connection of its own. Where
    /// the task is cancelled, no more are taken, and those under way are finished first: a handler is not cancelled.
    /// The same holds when one connection is given up: then the others end as well.
    ///
    /// - Parameter handler: Answers an invocation. What it throws is told to Lambda: an `InvocationFailure` as it is,
    ///   any other error by the name of its type. Lambda takes answers of up to 6 MB, and tells the client of larger
    ///   ones itself. It kills the process where the handler does not return by the deadline.
    /// - Throws: `gone` when the runtime API does not answer any more, `brokenEnvironment` when it says that the
    ///   process has to end, `unexpectedAnswer` when it gives an invocation without an identity. The process should
    ///   end: Lambda starts another.
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

    /// Tells Lambda that the function cannot start, before `run`; then the process should end.
    ///
    /// - Parameter failure: Why.
    /// - Throws: `gone` when the runtime API could not be reached in two tries, `unexpectedAnswer` when it did not
    ///   accept.
    public func reportInitializationFailure(_ failure: InvocationFailure) async throws(LambdaRuntimeError) {
        let connection = RuntimeConnection(to: address, maximumBody: Self.maximumEvent)
        defer { connection.close() }
        let request = RuntimeRequest.initializationFailure(failure)
        var status: UInt?
        var cause: (any Error)?
        for _ in 0..<2 where status == nil {
            do { status = try await connection.send(request).status } catch { cause = error }
        }
        guard let status else { throw .gone(address, "it was not told why the function cannot start", cause) }
        guard (200..<300).contains(status) else {
            throw LambdaRuntimeError(
                .unexpectedAnswer,
                "The Lambda runtime API at \(address) answered with \(status) when it was told why the function cannot"
                    + " start: \(failure.type).")
        }
    }
}

extension LambdaRuntimeError {
    /// The API at an address does not answer any more.
    static func gone(_ address: RuntimeAddress, _ what: String, _ cause: (any Error)?) -> LambdaRuntimeError {
        LambdaRuntimeError(
            .gone, "The Lambda runtime API at \(address) is gone: \(what).",
            hint: "This process should end; Lambda starts another when it is needed.", cause: cause)
    }
}
