"""Plants defects in discfg, one after another, and shows that the checks find each within a minute: `make mutants`.

Needs a build with the flag DISCFG_MUTANTS, in which the environment variable DISCFG_MUTANT chooses the defect
(Sources/DiscfgModel/PlantedDefect.swift). Exit status: 0 if every mutant was found and every control run is
clean, 1 if not, 2 usage.
"""
from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import main as soak
import proxy
import rounds
from rounds import Outcome, Plan, Round

#: Seconds to wait for progress after the faults: what a mutant has broken stays broken, and must not cost the minute.
PATIENCE = 5
FOUND, CLEAN, VOID, SURVIVED, RED, BROKEN = "found", "clean", "void", "SURVIVED", "RED", "BROKEN"

_FULL_PATIENCE = rounds.PATIENCE
_LOG = "the log contradicts itself"
_LOST = "an acknowledged write is not in the log"
_SWAP = "a compare-and-swap went through on another item"
_READ = "a read shows what was not there"
_STALE = "a linearizable read is older than what was acknowledged before it began"
_ORDER = "no order of the calls on a key explains the answers"
_WATCH = "a watch differs from the log"
_LEASE = "a key outlives its lease"


@dataclass(frozen=True)
class Setup:
    """What a round runs on."""

    engine: str
    servers: int
    #: Kinds of faults, with commas between them.
    faults: str
    #: Clients and calls that are left out, with commas between them.
    without: str = ""
    #: Whether the servers answer reads from memory; otherwise each read asks the store.
    views: bool = True

    @property
    def seconds(self) -> float:
        """Seconds of clients and faults in one round. A mutant that is not found in one may be found in the next.

        A file and memory take so many calls that checking those of more seconds would cost the rest of the minute.
        """
        return 15.0 if self.engine == "dynamodb" else 6.0

    def __str__(self) -> str:
        servers = "" if self.engine == "memory" else f", {self.servers} servers" if self.servers > 1 else ", 1 server"
        without = ",".join(filter(None, (self.without, "" if self.views else "views")))
        return f"{self.engine}{servers}: {self.faults}" + (f"; without {without}" if without else "")


MEMORY = Setup("memory", 1, "pause,cut_connections")
FILE = Setup("sqlite", 2, "kill,pause,cut_connections")
MEMORY_READS = Setup("memory", 1, "pause,cut_connections", views=False)
FILE_READS = Setup("sqlite", 2, "kill,pause,cut_connections", views=False)
FILE_CLOCK = Setup("sqlite", 2, "clock_skew", "lease,lock,clash")
FILE_LEASES = Setup("sqlite", 2, "clock_skew,clock_step", "clash,admin")
FILE_POWER = Setup("sqlite", 2, "power_loss")
FILE_SYNC = Setup("sqlite", 1, "sync_eio")
FILE_MOVED = Setup("sqlite", 1, "moved_file")
TABLE_READS = Setup("dynamodb", 2, "slow_commits", "lease,lock,clash,reborn", views=False)
TABLE_CLASH = Setup("dynamodb", 2, "slow_commits", "lease,lock,reborn", views=False)
TABLE_LOST = Setup("dynamodb", 1, "lost_answers", "lease,lock,clash,reborn")
TABLE_REMADE = Setup("dynamodb", 1, "slow_commits", "lease,lock,clash")
TABLE_REMOVAL = Setup("dynamodb", 1, "clean_up_fails", "lease,lock,clash")


@dataclass(frozen=True)
class Mutant:
    """A planted defect, and how it must be found."""

    name: str
    #: What it does.
    does: str
    setup: Setup
    #: It is found by a violation of one of these rules.
    rules: tuple[str, ...]
    #: A finding of discfg's review, or an issue of etcd's, that it repeats.
    repeats: str = ""


MUTANTS = (
    # The writer
    Mutant("acknowledgesRefused", "answers a batch with success although another server's commit was first", FILE,
           (_LOST, _LOG, _ORDER), "etcd #14370"),
    Mutant("forgetsOthersChanges", "continues after a conflict with the items from before it", FILE,
           (_LOG, _SWAP, _ORDER), "etcd #13766"),
    Mutant("learnsTailOnly", "applies the revision of other servers' commits, but not their changes", FILE,
           (_LOG, _SWAP, _ORDER)),
    Mutant("confirmsNothing", "reads from memory without a look at the end of the log", FILE,
           (_STALE, _READ, _ORDER)),
    Mutant("appliesTwice", "applies a commit again after the one that follows it", FILE,
           (_STALE, _READ, _ORDER, _LOG, _SWAP)),
    Mutant("halfTransactions", "commits only the first change of a transaction that shares a batch", FILE,
           (_LOST, _LOG)),
    Mutant("absentEqualsAnything", "a comparison with a revision holds for a key that is absent", MEMORY,
           (_SWAP,)),
    Mutant("clockRunsBack", "a commit has the time of the clock, even if the commit before it is later", FILE_CLOCK,
           (_LOG,)),
    Mutant("ttlFromLogTime", "counts a time to live from the time of the last commit", FILE_CLOCK,
           ("a time to live is longer than what was asked for",), "review: clocks"),
    Mutant("deniesUnknownOutcomes", "answers “nothing was written” if the store's answer was lost", TABLE_LOST,
           ("a refused write took effect",), "review: unknown outcomes"),
    Mutant("appendsAgain", "appends a commit again if the answer to the first try was lost", TABLE_LOST,
           ("a write took effect twice", "a write whose condition failed took effect"),
           "etcd #13766"),
    # Reads, differences and rollbacks
    Mutant("pagesApart", "reads each page of a range at a different revision", MEMORY_READS, (_READ,)),
    Mutant("differencesMissLaterChanges", "compares a key only up to its first change", MEMORY,
           ("a difference disagrees with the log", "a rollback restored no single moment")),
    Mutant("restoresLeases", "a rollback brings back keys of leases", MEMORY,
           ("a key lost its lease, and stays without end", "a rollback removed a key with a lease"),
           "review: rollbacks"),
    Mutant("rollsBackUnchecked", "a rollback does not check that its keys are unchanged since it compared them", FILE,
           ("a rollback restored no single moment",), "review: rollbacks"),
    Mutant("keepsSnapshots", "keeps reading from the snapshot of an earlier read", FILE_READS, (_STALE, _READ, _ORDER)),
    Mutant("ignoresNewestEntries", "reads items without the newest entries of the log", TABLE_READS,
           (_STALE, _READ, _ORDER), "review: isolation of transactions"),
    Mutant("forgetsOwnWrites", "reads with eventual consistency what this process has just written", TABLE_READS,
           (_READ,)),
    # Watches, locks and leases
    Mutant("promisesTooMuch", "reports progress up to a revision whose events are not sent yet", MEMORY, (_WATCH,),
           "etcd #15220"),
    Mutant("ignoresFutureStart", "a watch from a revision that does not exist yet begins at once", MEMORY, (_WATCH,),
           "etcd #20221"),
    Mutant("watchBeginsLate", "a watch begins after `start_revision`, not at it", MEMORY, (_WATCH,)),
    Mutant("losesEventsAtJoin", "a watch does not get what was committed between its start and its registration",
           MEMORY, (_WATCH,), "etcd #17529"),
    Mutant("losesWakeUps", "one commit in ten wakes no watcher", MEMORY, (_WATCH,)),
    Mutant("catchUpDropsDeletions", "a watch that catches up does not get deletions", MEMORY, (_WATCH,),
           "etcd #18089, #19179"),
    Mutant("repeatsEvents", "a watch gets the last event again", MEMORY, (_WATCH,),
           "etcd #15271, #17247"),
    Mutant("splitsRevisions", "a watch gets each event of a revision in a separate message", MEMORY, (_WATCH,)),
    Mutant("lowestLeaseOwns", "the lowest lease holds a lock, not the oldest key", MEMORY,
           ("two holders of a lock", "no order of lock and unlock explains the answers")),
    Mutant("ignoresRenewals", "a renewal does not move the end of a lease", MEMORY,
           ("a lease ended before its time",)),
    Mutant("leasesEndByWallClock", "ends a lease as soon as it is overdue by the clock of one process", FILE_LEASES,
           ("a lease ended before its time",), "review: clocks"),
    Mutant("followsAnyLog", "reads the changes of whichever log a config has, not of the one that is named", FILE,
           ("a log was read that has ended", "a follower went on in the log of another config"), "review: removal"),
    Mutant("endsLeasesHalfway", "the end of a lease removes one of its keys", FILE, (_LEASE,)),
    # SQLite
    Mutant("syncsNothing", "`synchronous = OFF`", FILE_POWER,
           (_LOST, _LOG, _STALE, _ORDER), "etcd #14370"),
    Mutant("ignoresFailedCommits", "treats a COMMIT that failed as a success", FILE_SYNC, (_LOST, _LOG, _ORDER)),
    Mutant("missesMovedFiles", "does not notice that the file was moved", FILE_MOVED,
           ("a write was acknowledged while the file was away",), "review: the file"),
    # DynamoDB
    Mutant("writesItemsUnconditionally", "writes items that were read without the newest entries of the log, without a condition",
           TABLE_CLASH,
           (_LOG, _SWAP), "review: isolation of transactions"),
    Mutant("gapIsDamage", "treats an entry that is not visible yet as damage", TABLE_READS,
           ("a healthy store was called damaged",), "review: isolation of transactions"),
    Mutant("cleanUpFailsRemoval", "returns the error of the clean-up although the config is removed", TABLE_REMOVAL,
           ("a deletion that happened was answered “nothing was written”",), "review: removal"),
    Mutant("readsItemsOfOtherLogs", "reads items that are left from a removed config of the same name", TABLE_REMADE,
           ("a key of an earlier life of a config was read", "a key of a deleted config was read"), "review: removal"),
)


@dataclass
class Result:
    """What the rounds with one mutant, or without any, have shown."""

    name: str
    setup: Setup
    verdict: str
    rule: str = ""
    seconds: float = 0.0
    #: Calls that were answered with success, in all rounds.
    calls: int = 0
    seed: str = ""

    def row(self) -> str:
        """The result as a row of a table."""
        return (f"{self.verdict:<9} {self.name:<28} {self.setup.engine:<9} {self.seconds:>4.0f} s "
                f"{self.calls:>6} calls  seed {self.seed:<11} {self.rule}")


def judge(outcome: Outcome, rules: tuple[str, ...]) -> tuple[str, str]:
    """What a round shows: the verdict, and the rule that was violated or why the round is void.

    A round that did too little shows nothing, whatever it found.
    """
    broken = [violation.rule for violation in outcome.violations]
    expected = next((rule for rule in broken if rule in rules), "")
    if outcome.void:
        return VOID, outcome.void
    if expected:
        return FOUND, expected
    if broken:
        return RED, broken[0]
    return (SURVIVED if rules else CLEAN), ""


def run(setup: Setup, mutant: Mutant | None, options: argparse.Namespace) -> Result:
    """Rounds until the mutant is found or the time is over; without a mutant, one round."""
    tools = soak.tools(options)
    tools.mutant = mutant.name if mutant else ""
    name = mutant.name if mutant else "control"
    result = Result(name, setup, BROKEN)
    seed = int(options.seed) if options.seed else random.SystemRandom().randrange(1 << 31)
    began = time.monotonic()
    rounds.PATIENCE = PATIENCE if mutant else _FULL_PATIENCE
    proxy.LAG = (0.5, 2.0)
    while True:
        folder = options.output.resolve() / f"{name}-{seed}"
        plan = Plan(setup.engine, str(seed), setup.seconds, setup.servers, 6, setup.faults.split(","),
                    frozenset(setup.without.split(",")), setup.views, awaits_progress=not mutant,
                    awaits_leases=not mutant or _LEASE in mutant.rules)
        result.seed = str(seed)
        try:
            outcome = Round(plan, tools, folder).run()
            result.calls += outcome.calls
            result.verdict, result.rule = judge(outcome, mutant.rules if mutant else ())
        except Exception as error:  # noqa: BLE001  a server that does not start, or a client that cannot read an answer
            result.verdict, result.rule = BROKEN, f"{type(error).__name__}: {error}"
        result.seconds = time.monotonic() - began
        if result.verdict in (FOUND, CLEAN):
            shutil.rmtree(folder, ignore_errors=True)
        if not mutant or result.verdict == FOUND or options.seed \
                or result.seconds * 2 > options.seconds + setup.seconds:
            break
        seed += 1
    if result.verdict == FOUND and result.seconds > options.seconds:
        result.verdict, result.rule = SURVIVED, f"found too late: {result.rule}"
    return result


def table() -> str:
    """The mutants as a table of Markdown, for mutants.md."""
    lines = ["| name | what it does | engine, servers and faults | rule that finds it | repeats |",
             "|---|---|---|---|---|"]
    lines += [f"| `{each.name}` | {each.does} | {each.setup} | {'; '.join(each.rules)} | {each.repeats} |"
              for each in MUTANTS]
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description="Shows that the checks find planted defects.")
    parser.add_argument("--binary", type=Path, help="a discfg that was built with the flag DISCFG_MUTANTS")
    parser.add_argument("--ministack", type=Path, help="the program that stands in for DynamoDB")
    parser.add_argument("--output", type=Path, default=Path(".build/soak/mutants"), help="for histories and reports")
    parser.add_argument("--mutant", default="", help="only these, with commas between them; or “none”: controls")
    parser.add_argument("--seconds", type=float, default=60.0, help="within which a mutant must be found")
    parser.add_argument("--seed", help="of one round for each mutant; without it, random ones")
    parser.add_argument("--table", action="store_true", help="print the table of mutants.md, and run nothing")
    options = parser.parse_args()
    options.lying_disk = options.no_preload = False
    unknown = {*options.mutant.split(",")} - {"", "none"} - {each.name for each in MUTANTS}
    if unknown:
        parser.error(f"there is no mutant {', '.join(sorted(unknown))}; --table lists all")
    if not options.table and not options.binary:
        parser.error("name the program with --binary")
    if options.binary and not os.access(options.binary, os.X_OK):
        parser.error(f"there is no program {options.binary}")
    return options


def main() -> int:
    """Runs the controls and the mutants, and prints a table."""
    options = arguments()
    if options.table:
        print(table())
        return 0
    chosen = [each for each in MUTANTS if not options.mutant or each.name in options.mutant.split(",")]
    controls = dict.fromkeys(each.setup for each in chosen or MUTANTS)
    results = []
    for setup, mutant in [*((setup, None) for setup in controls), *((each.setup, each) for each in chosen)]:
        results.append(run(setup, mutant, options))
        print(results[-1].row(), flush=True)
    failed = [result for result in results if result.verdict not in (FOUND, CLEAN)]
    print(f"{len(chosen)} mutants: {sum(result.verdict == FOUND for result in results)} found; "
          f"{len(controls)} controls: {sum(result.verdict == CLEAN for result in results)} clean")
    for result in failed:
        print(f"again: make mutants MUTANT={result.name.replace('control', 'none')} SEED={result.seed}"
              f"  # {result.setup}: {result.verdict} {result.rule}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
