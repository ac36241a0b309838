import AWSClient

extension StreamConsumer {
    /// Reads the next records of a shard, where none are left to be done.
    ///
    /// - Returns: Whether there is something to go on with: records, or the shard's end.
    func read(_ id: String) async throws -> Bool {
        do {
            // Once for a place that has expired and once for one that is gone.
            for _ in 0..<3 {
                guard let shard = owned[id] else { return false }
                do {
                    let iterator = try await shard.iterator.orElse { try await place(in: shard) }
                    let page = try await api.getRecords(
                        GetRecordsRequest(shardIterator: iterator, limit: min(max(options.batchSize, 1), 1000)))
                    owned[id]?.pending = page.records ?? []
                    owned[id]?.iterator = page.nextShardIterator
                    owned[id]?.isLastPage = page.nextShardIterator == nil
                    owned[id]?.requestFailures = 0
                    return true
                } catch let error as AWSError where error.code == "ExpiredIteratorException" {
                    owned[id]?.iterator = nil
                } catch let error as AWSError where error.code == "TrimmedDataAccessException" {
                    await report(.trimmed, of: id, after: shard.lease.checkpoint)
                    owned[id]?.iterator = nil
                    owned[id]?.isTrimmed = true
                    owned[id]?.lease.failures = 0
                }
            }
            retry(id)
        } catch let error as AWSError where error.code == .resourceNotFound {
            try await missing(id, error)
        } catch let error as AWSError where error.mayPass {
            retry(id)
        }
        return false
    }

    private func place(in shard: OwnedShard) async throws -> String {
        let checkpoint = shard.isTrimmed ? nil : shard.lease.checkpoint
        let answer = try await api.getShardIterator(
            GetShardIteratorRequest(
                streamArn: stream, shardId: shard.lease.shardID,
                shardIteratorType: checkpoint == nil ? .trimHorizon : .afterSequenceNumber,
                sequenceNumber: checkpoint))
        guard let iterator = answer.shardIterator else {
            throw AWSError(.invalidAnswer, "GetShardIterator was answered without an iterator.")
        }
        return iterator
    }

    /// A shard that DynamoDB does not have: it expired before it was read to its end.
    private func missing(_ id: String, _ error: AWSError) async throws {
        if listed[id] == nil {
            await report(.shardGone, of: id, after: owned[id]?.lease.checkpoint)
            try await end(id)
        } else if let failures = owned[id]?.requestFailures, failures < 3 {
            // It may have gone since the shards were listed.
            retry(id)
            discoveryDue = 0
        } else {
            throw error
        }
    }
}

extension Optional {
    /// The value, or else another.
    fileprivate func orElse(_ other: () async throws -> Wrapped) async throws -> Wrapped {
        if let self { return self }
        return try await other()
    }
}
