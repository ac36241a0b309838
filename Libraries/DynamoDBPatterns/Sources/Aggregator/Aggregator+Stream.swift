public import AWSClient

extension Aggregator {
    /// Acts on the set that a record of the table's stream is about.
    ///
    /// Other records, the aggregator's own among them, are passed over without a request, as long as the stream has new
    /// images. A record that is delivered
    /// again finds the set done. One that finds it busy needs no other delivery: `sweep` acts if the other one dies.
    ///
    /// - Parameters:
    ///   - record: A record of the table's stream.
    ///   - action: What to do.
    /// - Returns: What became of it; `nil` if the record is not about a set that has just become complete.
    /// - Throws: As `act(on:_:)`; then the record has to be delivered again.
    @discardableResult
    public func handle(_ record: StreamRecord, _ action: Action) async throws -> AggregateOutcome? {
        guard let change = record.change, let keys = change.keys, record.eventName != .remove,
            let key = ItemKey(of: keys), key.sort == AggregateHead.sort,
            let set = prefix.key(ofPartition: key.partition)
        else { return nil }
        if let image = change.newImage {
            guard image[AggregateHead.Attribute.state]?.string == AggregateState.ready.rawValue else { return nil }
        }
        return try await act(on: set, action)
    }
}

extension PatternTable.Prefix {
    /// The records of heads that have just become complete.
    func becameReady() throws(PatternError) -> FilterCriteria {
        try FilterCriteria(
            EventPattern.newImage(AggregateHead.Attribute.state, equals: AggregateState.ready.rawValue)
                .and(.newImage(PatternTable.Attribute.partition, .hasPrefix(text))))
    }
}
