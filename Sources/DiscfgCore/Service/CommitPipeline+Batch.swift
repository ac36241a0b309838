import CoreMetrics

extension CommitPipeline {
    /// How often a writer begins anew because the log it had read was trimmed, or made anew, meanwhile.
    private static let maximumRenewals = 10

    /// The commits that a conflict brings at most.
    private static let fullPage = 1000

    /// How often a batch may find that it must know more before it waits in between.
    private static let maximumDemands = 10

    /// What came of an attempt to make proposals true.
    private enum Settlement {
        /// They are in the log; or there was nothing to append, and what was read still holds.
        case done
        /// Others were first.
        case overtaken(by: [Commit])
        /// What was read is out of date.
        case outdated(tail: LogTail?)
        /// Something is to be attached to a lease that is not there.
        case leaseNotFound(Int64)
    }

    /// Commits as many of the batch as fit one append; the others go back in line.
    func commit(_ batch: [Waiter]) async {
        do {
            try await carryOut(batch[...])
        } catch let error as DiscfgError where error.code == .tooLarge && batch.count > 1 {
            // One that is too large must not take the others with it.
            for waiter in batch where !waiter.isAnswered() { await commit([waiter]) }
        } catch {
            for waiter in batch { waiter.fail(error) }
        }
    }

    /// - Throws: What nobody in the batch was told yet.
    private func carryOut(_ batch: ArraySlice<Waiter>) async throws {
        // Watchers are told after the writers.
        defer { published() }
        var touched = Touched(batch)
        var loaded = try await load(touched, on: view.current)
        var (attempt, renewals, demands) = (0, 0, 0)
        while true {
            let answers = evaluate(batch, touching: touched, with: &loaded.evaluator)
            let missing = loaded.evaluator.takeMissing()
            if !missing.isEmpty {
                demands += 1
                // At once as a rule; what must be known depends on the revision only where keys are named by it.
                if demands > Self.maximumDemands { try await backOff(demands - Self.maximumDemands) }
                touched.demand(missing)
                loaded = try await load(touched, on: loaded)
                continue
            }
            let settlement: Settlement
            do {
                settlement = try await settle(loaded)
            } catch let error as DiscfgError
                where [.compacted, .futureRevision].contains(error.code) && renewals < Self.maximumRenewals
            {
                renewals += 1
                settlement = .outdated(tail: nil)
            }
            switch settlement {
            case .done where answers.isEmpty:
                // Only what had expired was committed, because there was no room for more.
                loaded.evaluator.settle()
                loaded.isExact = true
                continue
            case .done:
                view.learn(loaded.evaluator.items, ranges: loaded.evaluator.ranges, at: loaded.evaluator.tail)
                putBack(batch.dropFirst(answers.count))
                for answer in answers { answer() }
                return
            case .leaseNotFound(let id):
                loaded.evaluator.advance(over: [])
                loaded.evaluator.endedLeases.insert(id)
                continue
            case .overtaken where isPlanted(.acknowledgesRefused):
                putBack(batch.dropFirst(answers.count))
                for answer in answers { answer() }
                return
            case .overtaken(let newer):
                note(newer, of: loaded.evaluator.tail.incarnation)
                loaded.evaluator.advance(over: newer)
                loaded.isExact = false
                metrics.conflicts.increment()
                // Far behind, and not beaten by others: there is nothing to wait for.
                if newer.count >= Self.fullPage { continue }
            case .outdated(let tail?) where try await catchUp(&loaded, with: tail): break
            case .outdated(let tail):
                // From the exact tail now: where a basis may be behind, it would be behind again.
                let tail = if let tail { tail } else { try await engine.tail(of: config) }
                loaded = try await load(touched, on: ViewState(tail: tail))
            }
            attempt += 1
            try await backOff(attempt)
        }
    }

    private func note(_ commits: [Commit], of incarnation: String) {
        view.note(LogPage(following: commits, incarnation: incarnation))
    }

    /// Takes over the commits up to a tail that was found after everything was read; what was read is exact there.
    ///
    /// - Returns: Whether they are there.
    private func catchUp(_ loaded: inout LoadedState, with tail: LogTail) async throws -> Bool {
        let known = loaded.evaluator.tail
        guard tail.incarnation == known.incarnation, tail.revision > known.revision else { return false }
        let page: LogPage
        do {
            page = try await engine.log(
                of: config, after: known.revision, limit: 1000, incarnation: known.incarnation, consistency: .strong)
        } catch let error as DiscfgError where [.compacted, .futureRevision].contains(error.code) {
            // It was trimmed, or made again, meanwhile: everything is read again.
            return false
        }
        let newer = page.commits.filter { $0.revision <= tail.revision }
        guard newer.last?.revision == tail.revision else { return false }
        view.note(page)
        loaded.evaluator.advance(over: newer)
        loaded.isExact = !loaded.isAhead
        return true
    }

    /// What tells each waiter what came of its proposal, in order, until one did not fit; none where what had expired takes all
    /// the room.
    private func evaluate(
        _ waiters: ArraySlice<Waiter>, touching touched: Touched, with evaluator: inout Evaluator
    ) -> [@Sendable () -> Void] {
        let limits = engine.limits
        var answers: [@Sendable () -> Void] = []
        let ranges = touched.ranges.union(touched.probes)
        if evaluator.expireOverdue(among: touched.keys, in: ranges, limits: limits) { return [] }
        let expired = evaluator.proposed.count
        for waiter in waiters {
            do throws(DiscfgError) {
                let (commits, changes) = (evaluator.proposed.count, evaluator.changeCount)
                let answer = try waiter.evaluate(&evaluator)
                let isOver = evaluator.changeCount > limits.changes || evaluator.byteCount > limits.bytes
                // What others are answered must not add up either, but never keeps one from being carried out alone.
                let isCrowded = evaluator.outcomeBytes > Evaluator.maximumOutcomeBytes && !answers.isEmpty
                guard isOver || isCrowded else {
                    answers.append(answer)
                    continue
                }
                let error = tooLarge(changes: evaluator.changeCount - changes)
                if evaluator.proposed.count > commits { evaluator.retractLast() }
                if !answers.isEmpty || expired > 0 { break }
                answers.append { waiter.fail(error) }
            } catch {
                answers.append { waiter.fail(error) }
            }
        }
        return answers
    }

    /// The refusal of a transaction that one commit of this store cannot take.
    func tooLarge(changes: Int) -> DiscfgError {
        DiscfgError(
            .tooLarge,
            "\(changes) changes are too many or too large for one commit, which takes at most \(engine.limits.changes) "
                + "changes and \(engine.limits.bytes) bytes of keys and values, before and after.",
            hint: "Split the transaction; an import, a rollback and “discfg delete --prefix” are split by themselves."
        ).overHTTP("Split the transaction, or delete in parts; an import and a rollback are split by themselves.")
    }

    /// Appends what is proposed, or makes sure that what was read still holds where there is nothing to append.
    private func settle(_ loaded: LoadedState) async throws -> Settlement {
        let (commits, tail) = (loaded.evaluator.proposed, loaded.evaluator.tail)
        if !commits.isEmpty { return try await append(commits, to: tail.incarnation) }
        if loaded.isExact { return .done }
        let found = try await engine.tail(of: config)
        let isCurrent = found.revision == tail.revision && found.incarnation == tail.incarnation
        return isCurrent && !loaded.isAhead ? .done : .outdated(tail: found)
    }

    /// Appends, and finds out what became of it when the reply was lost.
    private func append(_ commits: [Commit], to incarnation: String) async throws -> Settlement {
        var attempt = 0
        // Set once an append may have taken effect: from then on no other error may say that nothing was written.
        var doubt: DiscfgError?
        while true {
            do {
                let outcome = try await metrics.measure {
                    try await engine.append(commits, to: config, incarnation: incarnation)
                }
                switch outcome {
                case .conflict(let newer) where newer.first.map { $0.id != commits[0].id } ?? false:
                    return .overtaken(by: newer)
                case .conflict(let newer) where !newer.isEmpty && isPlanted(.appendsAgain):
                    return .overtaken(by: newer)
                case .conflict(let newer) where newer.isEmpty:
                    if let doubt { throw doubt }
                    return .outdated(tail: nil)
                case .replaced:
                    if let doubt { throw doubt }
                    return .outdated(tail: nil)
                // Said only where the revision was free: no earlier try has taken effect.
                case .leaseNotFound(let id): return .leaseNotFound(id)
                case .appended, .conflict:
                    metrics.commits.increment(by: commits.count)
                    noteCommits(through: commits[0].revision + Int64(commits.count) - 1, count: commits.count)
                    // Before anybody is answered: no later answer of this process may lack it.
                    note(commits, of: incarnation)
                    committed(commits)
                    return .done
                }
            } catch let error as DiscfgError where error.code == .outcomeUnknown || doubt != nil {
                if isPlanted(.deniesUnknownOutcomes) { throw DiscfgError(.storeUnavailable, error.message) }
                doubt = doubt ?? error
                guard attempt < 5 else { throw doubt ?? error }
                attempt += 1
                try await backOff(attempt)
                // Trying again is safe: the log takes these revisions only once, and tells us whose they are.
            }
        }
    }
}
