import AWSClient

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension PeriodicAggregator {
    /// Puts a member into the bucket of its time.
    ///
    /// Cost, for members up to 1 KB: one request and one write unit; in the last `skew` of a bucket and later, one
    /// request and four units; after the bucket was closed, two requests and ten units. For each bucket, each process
    /// makes one request more for the first of its members.
    ///
    /// - Parameters:
    ///   - member: What is collected.
    ///   - id: What it is known by, 1 to 512 bytes: a second member of the same identity and bucket is a duplicate.
    ///   - time: When it happened, at most a year ahead. It has to be the same each time that the member is delivered,
    ///     such as the time in the event itself; with the moment of the delivery, a second delivery would be another
    ///     member.
    /// - Returns: What became of it. After an error it may have been collected: deliver it again.
    /// - Throws: `PatternError` with code `invalidArgument`, `tooLarge`, or `contention` if buckets far ahead of our
    ///   clock are closed; `EncodingError`; `AWSError`.
    @discardableResult
    public func collect(_ member: Member, id: String, at time: Date) async throws -> Collected {
        try PatternKey.check(id, of: "identity of a member")
        let draft = MemberDraft(
            id: id, time: time.milliseconds, token: table.clock.token(),
            value: try AttributeEncoder().attribute(of: member))
        guard draft.time < table.clock.milliseconds + Self.farthest else {
            throw PatternError(
                .invalidArgument, "The time of a member of \(name) is more than a year ahead.",
                hint: "Are milliseconds taken for seconds?")
        }
        let bucket = try bucket(of: time)
        guard table.clock.milliseconds < settings.expiry(of: bucket) else { return .late(into: nil) }
        do {
            let place = try await place(of: bucket)
            switch try await put(draft, in: place) {
            case .stored: return .collected(in: place.bucket)
            case .wasThere: return .duplicate
            case .closed: return try await collectLate(draft, from: place)
            }
        } catch let error as AWSError where error.isItemTooLarge {
            throw PatternError(.tooLarge, "A member of \(name) is larger than an item may be.", cause: error)
        }
    }

    private func put(_ draft: MemberDraft, in place: BucketPlace) async throws -> PutOutcome {
        let key = keys.member(draft.id, of: place.bucket, shards: place.shards)
        func put(isAdmitted: Bool) -> ItemWrite {
            table.put(
                draft.item(key, timeToLive: settings.memberTimeToLive(place.bucket), isAdmitted: isAdmitted),
                if: .absent(PatternTable.Attribute.partition))
        }
        if let outcome = try await carryOutBeforeEnd(put(isAdmitted: false), in: place) {
            switch outcome {
            case .done: return .stored
            case .refused(let item, _): return draft.outcome(for: item)
            }
        }
        switch try await table.carryOut([put(isAdmitted: true), admission(to: place, of: draft.id)]) {
        case .done: return .stored
        case .refused(let reasons) where reasons[0].failed: return draft.outcome(for: reasons[0].item)
        case .refused: return .closed
        }
    }

    /// Carries the write out while nobody can have closed the bucket; `nil` if there is no time left for it, or was
    /// none left for its answer.
    private func carryOutBeforeEnd(_ write: ItemWrite, in place: BucketPlace) async throws -> WriteOutcome? {
        let last = place.bucket.endMilliseconds - settings.skew
        let left = last - table.clock.milliseconds
        guard place.isOpen, settings.skew < settings.period, left > 0 else { return nil }
        let deadline = ContinuousClock.now + .milliseconds(left)
        do {
            return try await AWSClient.$deadline.withValue(min(AWSClient.deadline ?? deadline, deadline)) {
                try await table.carryOut(write)
            }
        } catch let error as AWSError
            where table.clock.milliseconds >= last - Self.longestPause && !error.isItemTooLarge
        {
            // Whether it was carried out before the deadline cut it short, the check will tell.
            return nil
        }
    }

    /// Puts a member into a later bucket, and leaves in its own one where it went.
    ///
    /// Both in one transaction: what is left behind makes each further delivery a duplicate.
    private func collectLate(_ draft: MemberDraft, from origin: BucketPlace) async throws -> Collected {
        let originKey = keys.member(draft.id, of: origin.bucket, shards: origin.shards)
        known.close(origin.bucket)
        guard settings.late == .nextBucket else {
            return try await table.settledItem(originKey) == nil ? .late(into: nil) : .duplicate
        }
        let moment = max(table.clock.milliseconds, origin.bucket.endMilliseconds)
        var bucket = TimeBucket(of: moment, period: settings.period)
        for attempt in 0..<Self.lateAttempts {
            let place = try await place(of: bucket)
            if place.isOpen {
                let key = keys.late(draft.id, from: origin.bucket, in: place.bucket, shards: place.shards)
                let writes = [
                    table.put(
                        draft.trace(originKey, to: place.bucket, timeToLive: settings.memberTimeToLive(origin.bucket)),
                        if: .absent(PatternTable.Attribute.partition)),
                    table.put(
                        draft.item(
                            key, from: origin.bucket, timeToLive: settings.memberTimeToLive(place.bucket),
                            isAdmitted: true),
                        if: nil),
                    admission(to: place, of: draft.id),
                ]
                switch try await table.carryOut(writes) {
                case .done: return .late(into: place.bucket)
                case .refused(let reasons) where reasons[0].failed:
                    return draft.outcome(for: reasons[0].item) == .stored ? .collected(in: origin.bucket) : .duplicate
                case .refused: known.close(place.bucket)
                }
            }
            // Our clock is behind: look further and further ahead.
            bucket = bucket.advanced(by: 1 << Int64(attempt))
        }
        throw PatternError(
            .contention, "All buckets that \(name) tried for a late member are closed.",
            hint: "Look whether this machine's clock is right.")
    }

    /// Milliseconds from now to the last time that is taken for one.
    private static var farthest: Int64 { 366 * 86_400_000 }

    /// Milliseconds before the deadline from which on it may be why no other try was made.
    private static var longestPause: Int64 { 20_000 }

    /// Each doubles how far ahead a late member looks for an open bucket: a thousand periods.
    private static var lateAttempts: Int { 10 }
}
