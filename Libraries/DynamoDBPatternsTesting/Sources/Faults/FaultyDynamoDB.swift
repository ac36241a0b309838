import AWSClient
public import DynamoDBPatterns

/// A DynamoDB whose calls go wrong as planned.
///
/// It is one process's way to DynamoDB: after a crash each of its calls throws `SimulatedCrash`, and what goes on where
/// the process stopped begins with a new one.
public final class FaultyDynamoDB: DynamoDBDecorator {
    /// What the calls are handed on to.
    public let base: any DynamoDBAPI
    /// What the calls of streams are handed on to.
    public let streams: (any StreamsAPI)?
    private let plan: FaultPlan
    private let counter: CallCounter
    private let life: ProcessLife
    private let onFault: @Sendable (DynamoDBCall, Fault) async throws -> Void
    private let whenDead: @Sendable () async throws -> Void

    /// How many calls were made that the plan counts.
    public var calls: Int { counter.value }
    /// Whether it has crashed.
    public var hasCrashed: Bool { life.hasEnded }

    /// A DynamoDB with faults.
    ///
    /// - Parameters:
    ///   - base: What carries out the calls.
    ///   - streams: What carries out the calls of streams; by default `base`, where it has streams.
    ///   - plan: What goes wrong.
    public convenience init(_ base: any DynamoDBAPI, streams: (any StreamsAPI)? = nil, plan: FaultPlan) {
        self.init(base, streams: streams, plan: plan, counter: CallCounter())
    }

    init(
        _ base: any DynamoDBAPI, streams: (any StreamsAPI)? = nil, plan: FaultPlan,
        counter: CallCounter = CallCounter(), life: ProcessLife = ProcessLife(),
        onFault: @escaping @Sendable (DynamoDBCall, Fault) async throws -> Void = { _, _ in },
        whenDead: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.base = base
        self.streams = streams ?? base as? any StreamsAPI
        self.plan = plan
        self.counter = counter
        self.life = life
        self.onFault = onFault
        self.whenDead = whenDead
    }

    /// Makes the call, unless the plan has a fault for it.
    public func around<Answer: Sendable>(
        _ call: DynamoDBCall, _ carryOut: () async throws -> Answer
    ) async throws -> Answer {
        if life.hasEnded {
            try await whenDead()
            throw SimulatedCrash()
        }
        guard plan.counts(call), let fault = plan.fault(at: counter.next(call), for: call) else {
            return try await carryOut()
        }
        try await onFault(call, fault)
        switch fault {
        case .crashBefore:
            throw life.end()
        case .crashAfter:
            _ = try await Self.forgotten(carryOut)
            throw life.end()
        case .lostReply:
            _ = try await Self.forgotten(carryOut)
            throw Fault.noAnswer(to: call)
        case .lostReplyThenRetried:
            _ = try await Self.forgotten(carryOut)
            do {
                return try await carryOut()
            } catch var error as AWSError {
                error.mayHaveTakenEffect = call.isWrite
                throw error
            }
        case .notSent: throw Fault.noAnswer(to: call)
        case .throttled: throw Fault.throttling(of: call)
        case .conflict: throw Fault.conflict(of: call)
        }
    }

    /// Makes a call whose answer, good or bad, nobody sees.
    private static func forgotten<Answer>(_ carryOut: () async throws -> Answer) async throws {
        do {
            _ = try await carryOut()
        } catch is AWSError {}
    }
}
