import AWSClient

/// A bucket as the run has it that claimed it.
struct BucketRun<Partial: Sendable>: Sendable {
    /// As it was stored last.
    var head: BucketHead
    var partial: Partial
    var cursor: MemberCursor
    /// The members that were folded since the last checkpoint.
    var folded: [UInt64] = []
    /// When the last checkpoint was.
    var savedAt: Int64
}

extension PeriodicAggregator {
    /// Processes one bucket, from where it was left; `nil` if another run has it, or took it over.
    func process(startingAt start: Int64, finish: Finish) async throws -> TimeBucket? {
        guard let head = try await uncancelled({ try await claim(startingAt: start) }) else { return nil }
        do {
            try Task.checkCancellation()
            let run = try await foldMembers(of: head)
            // Nothing came after all, such as when the first collector died before it had put its member.
            let writes = run.head.count == 0 ? [] : try await finish(closed(run.head, run.partial))
            try await uncancelled { try await markDone(run.head, alsoWriting: writes) }
            return head.bucket
        } catch is TakenOver {
            return nil
        } catch {
            // What goes wrong here costs time only: the lease runs out by itself.
            if Task.isCancelled { try? await uncancelled { try await release(head) } }
            throw error
        }
    }

    /// Lets another run go on at once, from the last checkpoint.
    private func release(_ head: BucketHead) async throws {
        var update = ItemUpdate()
        update.set(PatternTable.Attribute.due, .integer(table.clock.milliseconds))
        _ = try await table.carryOut(table.write(keys.head(head.bucket), update, if: head.isStillClaimed))
    }

    /// Takes the bucket for the length of a lease; `nil` if it is not due, any more or at all.
    private func claim(startingAt start: Int64) async throws -> BucketHead? {
        let now = table.clock.milliseconds
        var update = ItemUpdate()
        update.set(BucketHead.Attribute.state, .string(WorkState.running.rawValue))
        update.set(PatternTable.Attribute.due, .integer(now + settings.lease))
        update.increment(BucketHead.Attribute.fence)
        let write = try await table.writeMarked(
            keys.head(startingAt: start), update, token: table.clock.token(), in: BucketHead.Attribute.owner,
            if: .atMost(PatternTable.Attribute.due, .integer(now)))
        return try write.item.map { try BucketHead($0, startingAt: start) }
    }

    /// Folds what is left of the bucket, with a checkpoint after each page's worth of members.
    private func foldMembers(of head: BucketHead) async throws -> BucketRun<Partial> {
        var run = BucketRun(
            head: head, partial: try partial(of: head), cursor: head.cursor, savedAt: table.clock.milliseconds)
        do {
            while run.cursor.shard < head.shards {
                try Task.checkCancellation()
                if run.cursor.after == nil {
                    try await closeGate(of: run.cursor.shard, in: head) { try await keepLease(&run) }
                }
                try await foldPage(&run)
                if run.folded.count >= settings.pageSize { try await checkpoint(&run) }
                try await keepLease(&run)
            }
            // What is finished has to be what is finished again after a crash.
            let isSaved = run.cursor == run.head.cursor || (run.head.count == 0 && run.folded.isEmpty)
            if !isSaved { try await checkpoint(&run) }
            return run
        } catch let error as AWSError where error.isItemTooLarge {
            throw PatternError(
                .tooLarge, "What the bucket \(head.bucket.text) of \(name) is folded into outgrows an item.",
                hint: "Fold into less, and read the members again by pages when the bucket is finished.", cause: error)
        }
    }

    /// Makes a checkpoint where the last one is a third of the lease ago.
    private func keepLease(_ run: inout BucketRun<Partial>) async throws {
        if table.clock.milliseconds - run.savedAt > settings.lease / 3 { try await checkpoint(&run) }
    }

    private func foldPage(_ run: inout BucketRun<Partial>) async throws {
        let page = try await page(of: run.head.bucket, at: run.cursor, limit: settings.pageSize)
        for (sort, member) in page.members {
            try fold(&run.partial, member.member)
            run.folded.append(StableHash.of(sort))
        }
        run.cursor = page.next
    }

    /// Stores how far the run has come, and extends its lease.
    ///
    /// All values are absolute: carried out twice, or late, it changes nothing that is not consistent in itself.
    private func checkpoint(_ run: inout BucketRun<Partial>) async throws {
        var head = run.head
        head.cursor = run.cursor
        head.count += Int64(run.folded.count)
        if !run.folded.isEmpty { head.folds += 1 }
        let now = table.clock.milliseconds
        var update = ItemUpdate()
        update.set(BucketHead.Attribute.cursorShard, .integer(head.cursor.shard))
        if let after = head.cursor.after {
            update.set(BucketHead.Attribute.cursorAfter, .string(after))
        } else {
            update.remove(BucketHead.Attribute.cursorAfter)
        }
        update.set(BucketHead.Attribute.count, .integer(head.count))
        update.set(BucketHead.Attribute.folds, .integer(head.folds))
        update.set(BucketHead.Attribute.partial, try AttributeEncoder().attribute(of: run.partial))
        update.set(PatternTable.Attribute.due, .integer(now + settings.lease))
        let write = table.write(keys.head(head.bucket), update, if: head.isStillClaimed)
        try await carryOutFenced(write, of: head, with: run.folded.isEmpty ? [] : [foldRecord(run.folded, of: head)])
        run.head = head
        run.folded = []
        run.savedAt = now
    }

    /// Marks the bucket as done for ever, together with the caller's writes.
    private func markDone(_ head: BucketHead, alsoWriting others: [TransactWriteItem]) async throws {
        var update = ItemUpdate()
        update.set(BucketHead.Attribute.state, .string(WorkState.done.rawValue))
        update.set(PatternTable.Attribute.timeToLive, .integer(settings.closingTimeToLive(head.bucket)))
        update.removeDue()
        let write = table.write(keys.head(head.bucket), update, if: head.isStillClaimed)
        try await carryOutFenced(write, of: head, with: others)
    }

    /// Carries a write of the head out, and others with it.
    private func carryOutFenced(_ write: ItemWrite, of head: BucketHead, with others: [TransactWriteItem]) async throws
    {
        if others.isEmpty {
            guard case .refused(let item, let inDoubt) = try await table.carryOut(write) else { return }
            // An answer was lost, and nobody else has claimed it since: so the write was ours.
            let isOurs = inDoubt && item?[BucketHead.Attribute.owner]?.string == head.owner
            if !isOurs { throw TakenOver() }
        } else {
            guard case .refused(let reasons) = try await table.carryOut([write], with: others) else { return }
            if reasons[0].failed { throw TakenOver() }
            throw PatternError(
                .conflict, "A write that was to finish the bucket \(head.bucket.text) of \(name) was refused.",
                hint: "Look at the conditions of the writes that are returned.")
        }
    }
}

/// Another run has claimed the bucket since: whoever gets this has changed nothing, and leaves the bucket to it.
private struct TakenOver: Error {}
