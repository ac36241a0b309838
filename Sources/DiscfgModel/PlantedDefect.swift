/// Defects that a build with the flag `DISCFG_MUTANTS` can be told to have, to see that `make soak` finds them.
///
/// `Tests/Soak/mutants.py` lists what each of them does, with the rule that it violates.
@usableFromInline package enum PlantedDefect: Sendable {
    // The writer
    case acknowledgesRefused, deniesUnknownOutcomes, forgetsOthersChanges, halfTransactions, learnsTailOnly
    case absentEqualsAnything, clockRunsBack, ttlFromLogTime
    // The view
    case appliesTwice, confirmsNothing
    // Reads, differences and rollbacks
    case differencesMissLaterChanges, pagesApart, restoresLeases, rollsBackUnchecked
    // Watches, locks and leases
    case catchUpDropsDeletions, ignoresFutureStart, losesEventsAtJoin, promisesTooMuch, repeatsEvents
    case followsAnyLog, losesWakeUps, splitsRevisions, watchBeginsLate
    case ignoresRenewals, leasesEndByWallClock, lowestLeaseOwns
    // SQLite
    case endsLeasesHalfway, ignoresFailedCommits, keepsSnapshots, missesMovedFiles, syncsNothing
    // DynamoDB
    case appendsAgain, cleanUpFailsRemoval, forgetsOwnWrites, gapIsDamage, ignoresNewestEntries, readsItemsOfOtherLogs
    case writesItemsUnconditionally
}

#if DISCFG_MUTANTS
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension PlantedDefect: CaseIterable {
    /// The one that the environment variable `DISCFG_MUTANT` names.
    fileprivate static let chosen: PlantedDefect? = {
        guard let name = getenv("DISCFG_MUTANT").map({ String(cString: $0) }), !name.isEmpty else { return nil }
        guard let defect = allCases.first(where: { "\($0)" == name }) else {
            preconditionFailure("DISCFG_MUTANT names no planted defect: \(name)")
        }
        return defect
    }()
}

/// Whether this process has a defect.
package func isPlanted(_ defect: PlantedDefect) -> Bool { defect == PlantedDefect.chosen }
#else
/// Whether this process has a defect: never, so that an optimized build contains nothing of them.
@inlinable @inline(__always)
package func isPlanted(_ defect: PlantedDefect) -> Bool { false }
#endif
