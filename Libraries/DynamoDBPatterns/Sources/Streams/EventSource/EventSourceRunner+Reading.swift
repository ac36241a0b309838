import AWSClient
import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EventSourceRunner {
    /// Looks for new shards: at first, after a shard's end, and every ten seconds.
    mutating func discoverIfDue() async throws {
        let isFirst = nextDiscovery == nil
        guard clock.now() >= nextDiscovery ?? .distantPast else { return }
        let listed = try await listedShards()
        let ids = Set(listed.compactMap(\.shardId))
        shards.removeAll { $0.isDone && !ids.contains($0.id) }
        let known = Set(shards.map(\.id))
        for shard in listed {
            guard let id = shard.shardId, !known.contains(id) else { continue }
            shards.append(EventSourceShard(id, shard, mapping, isNew: !isFirst))
        }
        nextDiscovery = clock.now() + 10
    }

    private func listedShards() async throws -> [Shard] {
        var shards: [Shard] = []
        var start: String?
        var pages = 0
        repeat {
            pages += 1
            guard pages <= 1000 else {
                throw PatternError(.corrupt, "The description of the stream \(stream) has no end after 1,000 pages.")
            }
            let request = DescribeStreamRequest(streamArn: stream, exclusiveStartShardId: start)
            let description = try await streams.describeStream(request).streamDescription
            shards += description?.shards ?? []
            start = description?.lastEvaluatedShardId
        } while start != nil
        return shards
    }

    /// Whether a shard has more to read, its parent is done with, and not too much of it waits already.
    func canRead(_ shard: EventSourceShard) -> Bool {
        guard !shard.isRead, shard.waiting < mapping.batchSize * mapping.parallelizationFactor else { return false }
        return shards.first { $0.id == shard.parent }?.isDone ?? true
    }

    /// Reads one page of a shard.
    mutating func read(_ index: Int, _ progress: inout EventSourceProgress) async throws {
        do {
            guard let iterator = try await iterator(of: shards[index]) else { return end(index) }
            let page = try await streams.getRecords(GetRecordsRequest(shardIterator: iterator))
            for (record, sequence) in try numbered(page, index) { take(record, sequence, index, &progress) }
            shards[index].iterator = page.nextShardIterator
            if page.nextShardIterator == nil { end(index) }
        } catch let error as AWSError where error.code == "ExpiredIteratorException" {
            // The latest is another place by now.
            if shards[index].last == nil, shards[index].start == .latest { lose(index, &progress) }
            shards[index].iterator = nil
        } catch let error as AWSError where error.code == "TrimmedDataAccessException" {
            lose(index, &progress)
            shards[index].iterator = nil
            shards[index].last = nil
            shards[index].start = .trimHorizon
        } catch let error as AWSError where error.code == .resourceNotFound {
            lose(index, &progress)
            end(index)
        }
    }

    private func iterator(of shard: EventSourceShard) async throws -> String? {
        if let iterator = shard.iterator { return iterator }
        let type = shard.last == nil ? shard.start : .afterSequenceNumber
        let request = GetShardIteratorRequest(
            streamArn: stream, shardId: shard.id, shardIteratorType: type, sequenceNumber: shard.last)
        return try await streams.getShardIterator(request).shardIterator
    }

    private func numbered(_ page: GetRecordsResponse, _ index: Int) throws -> [(StreamRecord, sequence: String)] {
        try (page.records ?? []).map { record in
            guard let sequence = record.change?.sequenceNumber else {
                throw PatternError(.corrupt, "A record of the shard \(shards[index].id) has no sequence number.")
            }
            return (record, sequence)
        }
    }

    /// Puts a record that the filter takes into the queue of its item.
    private mutating func take(
        _ record: StreamRecord, _ sequence: String, _ index: Int, _ progress: inout EventSourceProgress
    ) {
        shards[index].last = sequence
        progress.read += 1
        let object = LambdaEvent.object(of: record, stream: stream)
        guard mapping.filter?.matches(object: object) ?? true else {
            progress.filtered += 1
            return
        }
        let now = clock.now()
        let entry = EventSourceBatchQueue.Entry(
            json: Array(object.sortedJSON.utf8), sequence: sequence,
            created: record.change?.approximateCreationDateTime.map(Date.init(timeIntervalSince1970:)) ?? now)
        let key = AttributeValue.map(record.change?.keys?.mapValues(\.wire) ?? [:]).sortedJSON
        let queue = Int(StableHash.of(key) % UInt64(mapping.parallelizationFactor))
        shards[index].queues[queue].add(entry, at: now)
    }

    private mutating func end(_ index: Int) {
        shards[index].isRead = true
        nextDiscovery = .distantPast
    }

    private func lose(_ index: Int, _ progress: inout EventSourceProgress) {
        progress.gaps += 1
        logger.info("records of the stream are gone unread", metadata: ["stream.shard": "\(shards[index].id)"])
    }
}
