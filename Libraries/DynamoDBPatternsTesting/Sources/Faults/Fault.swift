package import AWSClient
import DynamoDBPatterns

/// What can happen to one call.
public enum Fault: String, Sendable, Hashable, CaseIterable {
    /// The process ends before the call is made.
    case crashBefore
    /// The process ends after the call was carried out, before it sees the answer.
    case crashAfter
    /// The call is carried out, but its answer is lost: `noAnswer`, a write `mayHaveTakenEffect`.
    case lostReply
    /// The call is carried out, its answer is lost, and it is made again, as AWSClient does.
    ///
    /// A condition that the first try made false then fails: `conditionalCheckFailed`, `mayHaveTakenEffect`. A write
    /// without a condition takes effect twice, a transaction once.
    case lostReplyThenRetried
    /// The call is never carried out, which its caller cannot know: the same error as for a lost answer.
    case notSent
    /// The call is refused for too much load, until the client's tries are used up; it has no effect.
    case throttled
    /// The call is refused because a transaction with the same item is under way; it has no effect.
    case conflict
}

extension Fault {
    /// Whether the call is carried out.
    public var takesEffect: Bool {
        switch self {
        case .crashAfter, .lostReply, .lostReplyThenRetried: true
        case .crashBefore, .notSent, .throttled, .conflict: false
        }
    }

    /// Whether DynamoDB can do this to a call: single reads and streams meet no conflicts.
    public func isPossible(for call: DynamoDBCall) -> Bool {
        guard self == .conflict else { return true }
        return call.operation == .transactGetItems || call.isWrite && call.operation != .batchWriteItem
    }

    /// Whether an error is one that faults make, after which a process is started, or a message delivered, again.
    ///
    /// - Parameter error: What ended the process.
    /// - Returns: `false` for what no fault explains: a bug of the code or of the test.
    public static func explains(_ error: any Error) -> Bool {
        switch error {
        case is SimulatedCrash: true
        case let error as AWSError:
            [.noAnswer, .throughputExceeded, .transactionConflict].contains(error.code) || error.isContention
        case let error as PatternError: error.cause.map(explains) ?? false
        default: false
        }
    }

    /// The error of a call whose answer did not come.
    package static func noAnswer(to call: DynamoDBCall) -> AWSError {
        AWSError(
            .noAnswer, "\(call.operation.rawValue) was not answered: a fault of the test.",
            mayHaveTakenEffect: call.isWrite)
    }

    /// The error of a call that was throttled.
    package static func throttling(of call: DynamoDBCall) -> AWSError {
        AWSError(
            .throughputExceeded, "\(call.operation.rawValue) was throttled: a fault of the test.", status: 400)
    }

    /// The error of a call that met a transaction.
    static func conflict(of call: DynamoDBCall) -> AWSError {
        guard call.transactionSize > 0 else {
            return AWSError(
                .transactionConflict, "\(call.operation.rawValue) met a transaction: a fault of the test.", status: 400)
        }
        let rest = String(repeating: #",{"Code":"None"}"#, count: call.transactionSize - 1)
        let details = #"{"CancellationReasons":[{"Code":"TransactionConflict"}"# + rest + "]}"
        return AWSError(
            .transactionCanceled, "\(call.operation.rawValue) met a transaction: a fault of the test.", status: 400,
            details: Array(details.utf8))
    }
}

extension AWSError.Code {
    /// Too much load for the table, an index or a partition.
    static let throughputExceeded: AWSError.Code = "ProvisionedThroughputExceededException"
}
