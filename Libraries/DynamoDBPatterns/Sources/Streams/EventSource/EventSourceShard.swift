import AWSClient

/// One shard of a stream: how far it was read, and what of it waits for the function.
struct EventSourceShard: Sendable {
    let id: String
    let parent: String?
    /// Where to begin, while no record was read.
    var start: ShardIteratorType
    var iterator: String?
    /// The last record that was read.
    var last: String?
    /// Whether it was read to its end.
    var isRead: Bool
    var queues: [EventSourceBatchQueue]

    /// A shard that was found.
    ///
    /// - Parameters:
    ///   - id: The shard's name.
    ///   - shard: As the stream lists it.
    ///   - mapping: The settings.
    ///   - isNew: Whether it came after the runner had begun, so that its records are new in any case.
    init(_ id: String, _ shard: Shard, _ mapping: EventSourceMapping, isNew: Bool) {
        let isLatest = mapping.startingPosition == .latest && !isNew
        self.id = id
        parent = shard.parentShardId
        start = isLatest ? .latest : .trimHorizon
        isRead = isLatest && shard.sequenceNumberRange?.endingSequenceNumber != nil
        queues = Array(repeating: EventSourceBatchQueue(), count: mapping.parallelizationFactor)
    }

    var waiting: Int { queues.reduce(0) { $0 + $1.count } }

    /// Whether its children may be begun.
    var isDone: Bool { isRead && waiting == 0 }
}
