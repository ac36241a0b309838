public import DynamoDBPatterns

/// One run of a scenario with certain faults; describes itself by them.
public final class FaultedRun: Sendable, CustomStringConvertible {
    private let plan: [Int: Fault]
    private let isAffected: @Sendable (DynamoDBCall) -> Bool
    private let counter = CallCounter()

    init(_ plan: [Int: Fault], where isAffected: @escaping @Sendable (DynamoDBCall) -> Bool) {
        self.plan = plan
        self.isAffected = isAffected
    }

    /// The calls so far that may go wrong.
    public var calls: [DynamoDBCall] { counter.all }

    /// What happens to which call: `call 3 (UpdateItem) lostReply`.
    public var description: String {
        let calls = calls
        let faults = plan.sorted { $0.key < $1.key }.map { number, fault in
            let operation = number <= calls.count ? calls[number - 1].operation.rawValue : "not made"
            return "call \(number) (\(operation)) \(fault.rawValue)"
        }
        return faults.isEmpty ? "no fault" : faults.joined(separator: ", ")
    }

    /// A process's way to DynamoDB; the calls of all processes of a run are counted together.
    ///
    /// - Parameters:
    ///   - base: What carries out the calls.
    ///   - streams: What carries out the calls of streams; by default `base`, where it has streams.
    /// - Returns: A DynamoDB that ends with the process's crash.
    public func dynamoDB(_ base: any DynamoDBAPI, streams: (any StreamsAPI)? = nil) -> FaultyDynamoDB {
        FaultyDynamoDB(
            base, streams: streams, plan: FaultPlan.at(plan).where(isAffected), counter: counter)
    }

    /// Does some work until it is done, each time as a new process: as a queue or a stream delivers a message again, or
    /// a supervisor starts a worker again.
    ///
    /// - Parameters:
    ///   - base: What carries out the calls.
    ///   - streams: What carries out the calls of streams; by default `base`, where it has streams.
    ///   - tries: How often at most.
    ///   - work: The work, with its way to DynamoDB.
    /// - Returns: What the work returned in the end.
    /// - Throws: What `work` threw and no fault explains, or what it threw at the last try.
    @discardableResult public func deliver<Answer: Sendable>(
        to base: any DynamoDBAPI, streams: (any StreamsAPI)? = nil, tries: Int = 10,
        _ work: (FaultyDynamoDB) async throws -> Answer
    ) async throws -> Answer {
        var left = tries
        while true {
            left -= 1
            let api = dynamoDB(base, streams: streams)
            do {
                let answer = try await work(api)
                if !api.hasCrashed { return answer }
                guard left > 0 else { throw SimulatedCrash() }
            } catch let error where left > 0 && (api.hasCrashed || Fault.explains(error)) {}
        }
    }

    /// Fails the scenario unless something holds.
    ///
    /// - Parameters:
    ///   - condition: What has to hold.
    ///   - message: What is wrong where it does not.
    /// - Throws: `InvariantViolation`.
    public func check(_ condition: Bool, _ message: @autoclosure () -> String) throws(InvariantViolation) {
        if !condition { throw InvariantViolation(message()) }
    }

    /// A fault whose call was never made says nothing about it.
    func checkFaultsHappened() throws(InvariantViolation) {
        try check(
            plan.keys.max() ?? 0 <= calls.count, "The calls are not the same in each run: this one made \(calls.count)."
        )
    }
}
