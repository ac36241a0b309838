import AWSClient

extension PeriodicAggregator {
    /// What is known of a bucket, whose head is made where there is none: only what has a head becomes due.
    ///
    /// The head is there before the first member is, so that no crash leaves members that nobody ever processes.
    func place(of bucket: TimeBucket) async throws -> BucketPlace {
        if let place = known.place(startingAt: bucket.startMilliseconds) { return place }
        let place: BucketPlace
        switch try await table.carryOut(table.put(newHead(of: bucket), if: .absent(PatternTable.Attribute.partition))) {
        case .done:
            place = BucketPlace(bucket: bucket, shards: settings.shards, isOpen: true)
        case .refused(let item, _):
            let head = try BucketHead(item ?? [:], startingAt: bucket.startMilliseconds)
            place = BucketPlace(bucket: head.bucket, shards: head.shards, isOpen: head.state == .open)
        }
        known.keep(place)
        return place
    }

    /// The head of a bucket, strongly consistent; `nil` if nothing was ever collected, or it is forgotten.
    func head(of bucket: TimeBucket) async throws -> BucketHead? {
        guard let item = try await table.item(keys.head(bucket)) else { return nil }
        return try BucketHead(item, startingAt: bucket.startMilliseconds)
    }

    /// The head of a bucket that is done.
    func doneHead(of bucket: TimeBucket) async throws -> BucketHead? {
        guard let head = try await head(of: bucket), head.state == .done else { return nil }
        return head
    }

    private func newHead(of bucket: TimeBucket) -> StoredItem {
        let key = keys.head(bucket)
        var item = key.attributes
        item[BucketHead.Attribute.state] = .string(WorkState.open.rawValue)
        item[BucketHead.Attribute.end] = .integer(bucket.endMilliseconds)
        item[BucketHead.Attribute.shards] = .integer(settings.shards)
        item[PatternTable.Attribute.duePartition] = .string(table.duePartition(of: key))
        item[PatternTable.Attribute.due] = .integer(bucket.endMilliseconds + settings.grace)
        return item
    }
}
