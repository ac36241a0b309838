import AWSClient
import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EventSourceRunner {
    /// How long a stream keeps records.
    private static let retention: Double = 24 * 60 * 60

    /// Calls the function with the next batch of a queue, where there is one.
    mutating func deliver(_ shard: Int, _ queue: Int, _ progress: inout EventSourceProgress) async throws {
        shards[shard].queues[queue].makeBatch(mapping, at: clock.now())
        try await giveUp(shard, queue, &progress)
        guard let batch = shards[shard].queues[queue].batches.first else { return }
        let (answer, functionFailed) = try await invoke(batch)
        shards[shard].queues[queue].countInvocation()
        progress.invocations += 1
        switch answer {
        case .success:
            if chance(faults.duplicates), shards[shard].queues[queue].repeatFirst() {
                progress.repeated += 1
            } else {
                progress.handled += batch.entries.count
                shards[shard].queues[queue].drop(batch.entries.count)
            }
        case .failure(let first):
            progress.failures += 1
            progress.handled += first
            shards[shard].queues[queue].fail(
                from: first, bisecting: mapping.bisectsOnError, functionFailed: functionFailed)
            try await giveUp(shard, queue, &progress)
        }
    }

    /// What the function makes of a batch, and whether it threw.
    private func invoke(_ batch: EventSourceBatchQueue.Batch) async throws -> (BatchAnswer, functionFailed: Bool) {
        do {
            let answer = try await function(LambdaEvent.json(of: batch.entries.map(\.json)))
            guard !chance(faults.lostAnswers) else { return (.totalFailure, true) }
            guard mapping.reportsBatchItemFailures else { return (.success, false) }
            return (BatchAnswer(answer, to: batch.entries.map(\.sequence)), false)
        } catch {
            try Task.checkCancellation()
            return (.totalFailure, true)
        }
    }

    /// Takes off a queue's first batch what was tried too often or is too old, after the destination was told.
    private mutating func giveUp(_ shard: Int, _ queue: Int, _ progress: inout EventSourceProgress) async throws {
        guard let batch = shards[shard].queues[queue].batches.first else { return }
        let isExhausted = mapping.maximumRetryAttempts.map { batch.failures > $0 } ?? false
        let oldest = clock.now() - (mapping.maximumRecordAge.map { Double($0.components.seconds) } ?? Self.retention)
        let entries = isExhausted ? batch.entries : Array(batch.entries.prefix { $0.created < oldest })
        guard !entries.isEmpty else { return }
        let discarded = DiscardedBatch(
            condition: isExhausted ? .retryAttemptsExhausted : .recordAgeExceeded, entries: entries,
            invocations: batch.invocations, functionFailed: batch.functionFailed, shard: shards[shard].id,
            stream: stream, functionARN: functionARN)
        try await onFailure?(discarded.json(clock: clock))
        logger.info(
            "records given up",
            metadata: [
                "stream.shard": "\(discarded.shard)", "batch.condition": "\(discarded.condition.rawValue)",
                "batch.size": "\(entries.count)",
            ])
        shards[shard].queues[queue].drop(entries.count)
        progress.discarded += entries.count
    }

    private func chance(_ rate: Double) -> Bool {
        rate > 0 && Double(clock.random() >> 11) / Double(1 << 53) < rate
    }
}
