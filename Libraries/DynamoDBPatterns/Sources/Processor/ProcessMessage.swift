import AWSClient

/// What a step put into the outbox.
public struct ProcessMessage: Sendable {
    /// The same however often the message is sent, for whoever receives it to tell repetitions: `orders/42/1`.
    public let id: String
    /// The process that sent it.
    public let process: String
    /// Its place among the messages of its process, from 1, without gaps.
    public let number: Int64
    /// Where it goes, or what it is, as `StepContext.send` was told.
    public let topic: String
    let body: AttributeValue

    /// What it says.
    ///
    /// - Parameter type: As it was sent.
    /// - Returns: The message's body.
    /// - Throws: `DecodingError` if it is something else.
    public func decode<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
        try AttributeDecoder().decode(type, from: body)
    }
}

extension Processor {
    func outboxKey(_ id: String) -> ItemKey { ItemKey(partition: prefix.partition(id), sort: ProcessItem.outbox) }

    func messageKey(_ id: String, _ number: Int64) -> ItemKey {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(12 - digits.count, 0))
        return ItemKey(partition: prefix.partition(id), sort: ProcessItem.message + zeros + digits)
    }

    func outboxPartition(of id: String) -> String {
        let hash = StableHash.of(prefix.partition(id))
        return outboxPrefix.text + String(hash % UInt64(table.duePartitions))
    }

    /// The messages of a step, after so many earlier ones, and the mark in the index that there are some: one for all
    /// of a process, which is there only while there are messages.
    func outboxWrites(
        _ messages: [(topic: String, body: AttributeValue)], of id: String, from count: Int64
    ) -> [ItemWrite] {
        guard !messages.isEmpty else { return [] }
        var mark = ItemUpdate()
        mark.setIfAbsent(PatternTable.Attribute.duePartition, .string(outboxPartition(of: id)))
        // A relay that is at work keeps its lease, and finds these at its end.
        mark.setIfAbsent(PatternTable.Attribute.due, .integer(clock.milliseconds))
        mark.setIfAbsent(ProcessItem.next, .integer(count + 1))
        mark.set(ProcessItem.queued, .integer(count + Int64(messages.count) + 1))
        mark.set(ProcessItem.wake, .string(ProcessWake.relay))
        // Otherwise an earlier process with this identity, which expired, has left messages: none is to be lost.
        let isNext = Condition.any([
            .absent(ProcessItem.queued), .equals(ProcessItem.queued, .integer(count + 1)),
        ])
        return messages.enumerated().map { place, message in
            var item = messageKey(id, count + Int64(place) + 1).attributes
            item[ProcessItem.topic] = .string(message.topic)
            item[ProcessItem.body] = message.body
            return table.put(item, if: nil)
        } + [table.write(outboxKey(id), mark, if: isNext)]
    }

    /// A message that was not sent yet; `nil` for one that was.
    ///
    /// One item for itself, since a query may see a part of a transaction: the second message, and not the first.
    func message(_ number: Int64, of id: String) async throws -> ProcessMessage? {
        // To skip one whose transaction has written the outbox, and not yet the message, would be to lose it.
        guard let item = try await table.settledItem(messageKey(id, number)) else { return nil }
        guard let topic = item[ProcessItem.topic]?.string, let body = item[ProcessItem.body] else {
            throw PatternError(.corrupt, "The message \(number) of the process “\(id)” is none.")
        }
        return ProcessMessage(
            id: "\(name)/\(id)/\(number)", process: id, number: number, topic: topic, body: body)
    }
}
