import AWSClient
import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EventSourceRunner {
    /// One pass: reads each shard once where there is room, and calls the function at most once for each queue.
    ///
    /// - Returns: What was done.
    /// - Throws: After the whole pass, the first failure: `AWSError` if shards cannot be listed or read,
    ///   `PatternError` with code `corrupt` for a record without a sequence number, and what the failure destination
    ///   throws. Nothing is lost: the next step goes on from there.
    @discardableResult
    public mutating func step() async throws -> EventSourceProgress {
        var progress = EventSourceProgress()
        // What is wrong with one shard or queue is no reason for the others to wait.
        var failure: (any Error)?
        do { try await discoverIfDue() } catch { failure = try Self.noted(error, after: failure) }
        for shard in shards.indices where canRead(shards[shard]) {
            do { try await read(shard, &progress) } catch { failure = try Self.noted(error, after: failure) }
        }
        for shard in shards.indices {
            for queue in shards[shard].queues.indices {
                do { try await deliver(shard, queue, &progress) } catch {
                    failure = try Self.noted(error, after: failure)
                }
            }
        }
        if let failure { throw failure }
        return progress
    }

    /// The first of two failures; being cancelled ends the pass.
    private static func noted(_ error: any Error, after earlier: (any Error)?) throws -> any Error {
        try Task.checkCancellation()
        return earlier ?? error
    }

    /// Steps until all that is in the stream is done with or given up, for tests.
    ///
    /// Waits for batching windows by the clock. A record that fails for ever, with a mapping that never gives up, ends
    /// it with an error.
    ///
    /// - Parameters:
    ///   - quietSteps: After how many steps in a row with nothing to do the stream counts as empty. DynamoDB may answer
    ///     a read with no records although there are some further on: use more against AWS.
    ///   - maximumSteps: After how many steps to throw.
    /// - Returns: What was done.
    /// - Throws: What `step()` throws, after which it can be called again; and `PatternError` with code `contention`
    ///   after too many steps.
    @discardableResult
    public mutating func drain(
        quietSteps: Int = 2, maximumSteps: Int = 10_000
    ) async throws -> EventSourceProgress {
        var total = EventSourceProgress()
        var quiet = 0
        for _ in 0..<max(maximumSteps, 0) {
            let known = shards.count
            let progress = try await step()
            total += progress
            quiet = progress.isIdle && shards.count == known ? quiet + 1 : 0
            guard quiet >= quietSteps else { continue }
            guard let end = shards.flatMap(\.queues).compactMap({ $0.windowEnd(mapping) }).min() else { return total }
            try await clock.sleep(.milliseconds(max(end.milliseconds - clock.milliseconds, 1)))
            quiet = 0
        }
        throw PatternError(
            .contention, "The stream was not empty after \(maximumSteps) steps.",
            hint: "A record may fail again and again: bound the retries of the mapping.")
    }

    /// Steps until the task is cancelled; looks four times a second where there is nothing to do.
    ///
    /// - Throws: `CancellationError`, what `step()` throws other than `AWSError`, and `AWSError` with code
    ///   `resourceNotFound`, when there is no such stream. Other errors of AWS are logged and waited out.
    public mutating func run() async throws {
        while true {
            try Task.checkCancellation()
            do {
                let progress = try await step()
                if progress.handled + progress.read == 0 { try await clock.sleep(.milliseconds(250)) }
            } catch let error as AWSError where error.code != .resourceNotFound {
                logger.info("event source not read", metadata: ["aws.error": "\(error.code.rawValue)"])
                try await clock.sleep(.seconds(1))
            }
        }
    }
}
