"""Checks of what lasts: watches, locks, leases, and the config that is deleted and created again."""
from __future__ import annotations

import math
from collections import defaultdict
from typing import Any, Iterable

import wgl
from checks import CLOCK_TOLERANCE, Evidence, Violation
from history import FAIL, UNKNOWN, Op
from model import told
from workload import REBORN

#: Nanoseconds for which a process may serve the keys of a config that another has deleted, if nobody asks for consistency.
REMOVAL_LAG = 10_000_000_000


def watches(evidence: Evidence) -> Iterable[Violation]:
    """Deliveries are ordered, unique, complete and whole, and say what the log says."""
    last: dict[tuple[str, int], int] = {}
    for op in evidence.calls:
        watch = (op.args.get("watch", ""), op.args.get("generation", 0))
        if op.kind == "list" and watch[0] and op.ok and op.revision:
            last[watch] = op.revision
        if op.kind != "watch":
            continue
        after, upto = op.args["after"], op.revision or 0
        if after != last.get(watch, after):
            yield Violation("a watch lost its place", f"#{op.id} goes on after {after}, not {last[watch]}", [op])
        last[watch] = max(after, upto)
        shown = [(revision, sorted(changes, key=lambda change: change[0]))
                for revision, changes in ((entry[0], _without_directories(entry[1])) for entry in op.result["commits"])
                if changes]
        known = evidence.log.changes(op.args["prefix"], after, upto)
        if op.api == "v2":
            known = [(revision, [change for change in changes if change[0] == op.args["prefix"]])
                     for revision, changes in known]
            known = [entry for entry in known if entry[1]]
            shown = [(revision, [_of_key(change, op.args["prefix"]) for change in changes])
                     for revision, changes in shown]
        if _plain(shown) != _plain(known):
            missed = [entry for entry in _plain(known) if entry not in _plain(shown)]
            extra = [entry for entry in _plain(shown) if entry not in _plain(known)]
            revisions = tuple(entry[0] for entry in missed + extra)[:4]
            yield Violation("a watch differs from the log",
                            f"#{op.id} ({op.args['watch']}) between {after} and {upto}: "
                            f"not told {missed[:2]}, told besides {extra[:2]}", [op], None, revisions)


def _without_directories(changes: list[list[Any]]) -> list[list[Any]]:
    return [change for change in changes if not change[0].endswith("/")]


def _of_key(change: list[Any], key: str) -> list[Any]:
    """A change as it concerns a key: as in etcd v2, the deletion of a directory is told instead of that of a key in it."""
    path, kind, _ = change
    return [key, "delete", None] if kind == "delete" and key.startswith(path + "/") else change


def _plain(commits: Iterable[Any]) -> list[Any]:
    return [[revision, [list(change) for change in changes]] for revision, changes in commits]


def locks(evidence: Evidence) -> Iterable[Violation]:
    """A lock is given to one holder at a time: to the oldest key below its name."""
    granted: dict[str, list[Op]] = defaultdict(list)
    for op in evidence.calls:
        if op.kind == "lock" and op.ok:
            granted[op.args["name"]].append(op)
    # What may have ended a lock, by its key or by its lease: of calls without an answer too.
    ends: dict[str | int, list[Op]] = defaultdict(list)
    for op in evidence.calls:
        if op.kind in ("unlock", "revoke") and op.outcome != FAIL:
            ends[op.args["key" if op.kind == "unlock" else "lease"]].append(op)
    for name, ops in granted.items():
        lives = [(op, *_life(evidence, op.result["key"])) for op in ops]
        lives.sort(key=lambda life: life[1])
        for index, (later, created, _) in enumerate(lives):
            for earlier, first, deleted in lives[max(0, index - 12):index]:
                if first == created:
                    continue
                ended_by = evidence.authors.get(deleted or 0)
                if not ended_by and not _ended(evidence, deleted):
                    found = ends[earlier.result["key"]] + ends[earlier.args["lease"]]
                    ended_by = min(found, key=lambda op: op.start, default=None)
                if deleted is None or ended_by and ended_by.start > later.end:
                    yield Violation("two holders of a lock", f"#{earlier.id} and #{later.id} both have {name}: "
                                    f"{earlier.result['key']} (created {first}, deleted {deleted}) and "
                                    f"{later.result['key']} (created {created})",
                                    [op for op in (earlier, later, ended_by) if op], None,
                                    tuple(revision for revision in (first, created, deleted) if revision))
        yield from _mutex(evidence, name, ops)


def _life(evidence: Evidence, key: str) -> tuple[int, int | None]:
    """When the key of a lock came, and when it went."""
    revisions, entries = evidence.log.keys.get(key, ([], []))
    created = next((revision for revision, entry in zip(revisions, entries) if entry), 0)
    deleted = next((revision for revision, entry in zip(revisions, entries) if entry is None), None)
    return created, deleted


def _mutex(evidence: Evidence, name: str, ops: list[Op]) -> Iterable[Violation]:
    """The same without revisions: a search for an order of acquisitions and releases."""
    releases: dict[str, Op] = {}
    leases = {op.args["lease"]: op.result["key"] for op in ops}
    for op in evidence.calls:
        key = op.args.get("key") if op.kind == "unlock" else leases.get(op.args.get("lease", 0))
        if op.kind in ("unlock", "revoke") and key and op.outcome != FAIL:
            known = releases.setdefault(key, op)
            if not known.ok and op.ok:
                known.end = max(known.end, op.end)
    steps = []
    for op in ops:
        key = op.result["key"]
        steps.append(wgl.Step(f"#{op.id} acquire {key}", op.start, op.end, "acquire", key))
        release = releases.get(key)
        _, deleted = _life(evidence, key)
        ended_by = evidence.authors.get(deleted or 0)
        # Unless the client gave it back, the end of the lease ends the hold, at a time that the client does not see.
        if release and (ended_by is release or ended_by is None and release.ok and not _ended(evidence, deleted)):
            start, end = release.start, release.end if release.ok else math.inf
        else:
            start, end = op.start, math.inf
        steps.append(wgl.Step(f"release {key}", start, end, "release", key))
    verdict = wgl.check(steps, wgl.mutex, limit=100_000)
    if verdict.linearizable is False:
        kept = wgl.minimise(steps, wgl.mutex)
        names = {step.name for step in kept}
        yield Violation("no order of lock and unlock explains the answers",
                        f"{name}: " + "; ".join(step.name for step in kept[:12]),
                        [op for op in ops if f"#{op.id} acquire {op.result['key']}" in names])


def _ended(evidence: Evidence, revision: int | None) -> bool:
    """Whether a commit is the end of a lease whose time was over."""
    changes = evidence.log.commits[revision]["changes"] if revision else []
    return any(change["kind"] == "expire" for change in changes)


def registers(evidence: Evidence) -> Iterable[Violation]:
    """Single keys by their values alone, without any revision: a search for an order of all calls on a key."""
    by_key: dict[str, list[wgl.Step]] = defaultdict(list)
    ops: dict[str, Op] = {}
    strange: set[str] = set()
    for revision, commit in evidence.log.commits.items():
        author = evidence.authors.get(revision)
        for change in commit["changes"]:
            if not author:
                strange.add(change["key"])  # an end of a lease, or a deletion whose answer was lost
            elif author.kind == "rollback":
                by_key[change["key"]].append(_brought_back(author, change))
    for op in evidence.calls:
        for key in [op.args["key"]] if "key" in op.args else list(op.args.get("sets", {})):
            step = _register_step(evidence, op, key)
            if step:
                by_key[key].append(step)
                ops[step.name] = op
    for key, steps in by_key.items():
        if key not in strange and wgl.check(steps, wgl.register, limit=60_000).linearizable is False:
            kept = wgl.minimise(steps, wgl.register)
            yield Violation("no order of the calls on a key explains the answers",
                            f"{key}: " + "; ".join(step.name for step in kept[:10]),
                            [ops[step.name] for step in kept if step.name in ops], key)


def _register_step(evidence: Evidence, op: Op, key: str) -> wgl.Step | None:
    if op.kind == "get" and op.ok and op.args["mode"] == "lin":
        item = op.result["item"]
        return wgl.Step(f"#{op.id} read {item and item[0]}", op.start, op.end, "read", None, item and item[0])
    if op.kind not in ("put", "cas", "txn", "delete") or op.outcome == FAIL or "ttl" in op.args or "lease" in op.args:
        return None
    if op.kind == "delete" and op.ok and not op.result["deleted"]:
        return wgl.Step(f"#{op.id} finds nothing to delete", op.start, op.end, "read", None, None)
    end: float = op.end
    if op.outcome == UNKNOWN:
        # By its value the log tells whether it took effect.
        if op.kind != "delete" and not evidence.commits_of(op):
            return None
        end = math.inf
    elif not op.result.get("applied", True):
        return None
    kind = "delete" if op.kind == "delete" else "write"
    value = op.args.get("value", op.args.get("sets", {}).get(key))
    return wgl.Step(f"#{op.id} {kind} {value or ''}", op.start, end, kind, value)


def _brought_back(author: Op, change: dict[str, Any]) -> wgl.Step:
    """A rollback, as a write of one key."""
    key, kind, value = told(change)
    end = author.end if author.ok else math.inf
    return wgl.Step(f"#{author.id} rollback of {key}", author.start, end, "write" if kind == "set" else "delete", value)


def leases(evidence: Evidence) -> Iterable[Violation]:
    """A lease's keys stay as long as the lease, keep it, and end with it."""
    by_lease: dict[int, list[Op]] = defaultdict(list)
    for op in evidence.calls:
        if op.kind in ("grant", "keepalive", "revoke"):
            by_lease[op.args["lease"]].append(op)
    shown = _first_shown(evidence)
    # The key of a waiter goes when the waiter does; the key of a holder stays.
    held = {op.result["key"] for op in evidence.calls if op.kind == "lock" and op.ok}
    given_back = {op.args["key"] for op in evidence.calls if op.kind == "unlock"}
    for key, (revisions, entries) in evidence.log.keys.items():
        if not key.startswith(("/lease/", "/lock/")) or key.endswith("/"):
            continue
        lease: int | None = None
        for revision, entry in zip(revisions, entries):
            if entry and entry.lease is None:
                author = evidence.authors.get(revision)
                yield Violation("a key lost its lease, and stays without end",
                                f"{key} at revision {revision} has no lease", [author] if author else [], key,
                                (revision,))
            if entry:
                lease = entry.lease
            elif lease is not None and revision in evidence.authors \
                    and evidence.authors[revision].kind == "rollback":
                yield Violation("a rollback removed a key with a lease",
                                f"{key} of lease {lease} at revision {revision}", [evidence.authors[revision]], key,
                                (revision,))
            elif lease is not None and revision not in evidence.authors \
                    and (key.startswith("/lease/") or key in held - given_back):
                yield from _early(evidence, key, lease, by_lease[lease], revision, shown.get(revision))
    ends = max((op.end for op in evidence.calls), default=0)
    wrong_clocks = [op for op in evidence.ops if op.kind.startswith("fault:clock")]
    for key, entry in evidence.log.state("/l", evidence.log.tail).items():
        if entry.lease is None:
            continue
        renewals = [op for op in by_lease[entry.lease] if op.kind != "revoke" and op.outcome != FAIL]
        ttl = max((op.result.get("ttl", 0) or op.args.get("ttl", 10) for op in renewals), default=0)
        # A server that did not renew it observes it for its time to live before it ends it.
        over = max((op.end for op in renewals), default=0) + (2 * ttl + 15) * 1_000_000_000
        # A server whose clock is ahead gives a lease an end that is later by as much.
        is_late = any(op.start < renewal.end and renewal.start < (op.end if op.end >= 0 else ends)
                      for op in wrong_clocks for renewal in renewals)
        if over < ends and not is_late:
            yield Violation("a key outlives its lease", f"{key} is still there, "
                            f"{(ends - over) / 1e9 + 15:.0f} s after its lease {entry.lease} was over", by_lease[entry.lease],
                            key, (entry.revision,))


def _early(evidence: Evidence, key: str, lease: int, ops: list[Op], revision: int,
           shown: int | None) -> Iterable[Violation]:
    """A deletion that no client asked for, before the time of the lease was over."""
    if shown is None or any(op.kind == "revoke" and op.start < shown for op in ops):
        return
    renewals = [op for op in ops if op.kind != "revoke" and op.ok and op.result.get("ttl", 0) > 0 and op.end < shown]
    deadline = max((op.start + op.result["ttl"] * 1_000_000_000 for op in renewals), default=None)
    # However wrong the clock of a server is: what counts is how long a server has seen the lease unchanged.
    if deadline and shown < deadline:
        yield Violation("a lease ended before its time",
                        f"{key} of lease {lease} was deleted by revision {revision}, at least "
                        f"{(deadline - shown) / 1e9:.1f} s early", ops, key, (revision,))


def _first_shown(evidence: Evidence) -> dict[int, int]:
    """For each revision the first moment at which somebody had seen that the log had come so far."""
    shown: dict[int, int] = {}
    newest = 0
    for op in sorted((op for op in evidence.calls if op.ok and op.revision), key=lambda op: op.end):
        while newest < (op.revision or 0):
            newest += 1
            shown[newest] = op.end
    return shown


def times_to_live(evidence: Evidence) -> Iterable[Violation]:
    """A time to live is what was asked for.

    The answer counts it from the server's clock at its end, so a call during which that clock jumped shows nothing.
    """
    clocks = [op for op in evidence.ops if op.kind.startswith("fault:clock")]
    for op in evidence.calls:
        if op.kind == "put" and op.ok and op.args.get("ttl") and op.result.get("ttl") is not None \
                and op.result["ttl"] > op.args["ttl"] + CLOCK_TOLERANCE \
                and not any(_jumped(clock, op) for clock in clocks):
            yield Violation("a time to live is longer than what was asked for",
                            f"#{op.id} asked for {op.args['ttl']} s, and was given {op.result['ttl']} s", [op],
                            op.args["key"])


def _jumped(clock: Op, op: Op) -> bool:
    """Whether a server's clock was moved, or moved back, while it answered a call."""
    if clock.process.split("#")[0] != op.process.split("#")[0]:
        return False
    # The clock is moved just after the fault begins, and moved back just before it ends.
    moments = ((clock.start, clock.start + 1_000_000_000), (clock.end - 1_000_000_000, clock.end))
    return any(op.start < last and first < op.end for first, last in moments)


def moved_file(evidence: Evidence) -> Iterable[Violation]:
    """While the file is away nothing is acknowledged."""
    for away in evidence.ops:
        if away.kind != "away":
            continue
        for op in evidence.calls:
            if op.kind in ("put", "cas", "delete", "txn", "grant") and op.ok and op.api != "cli" \
                    and op.result.get("applied", True) and op.result.get("deleted", True) \
                    and away.start < op.start and op.end < away.end:
                yield Violation("a write was acknowledged while the file was away",
                                f"#{op.id} was answered while the file had been moved", [away, op])
                break


def reborn(evidence: Evidence) -> Iterable[Violation]:
    """A config that is deleted is gone, and one that is created again is another."""
    calls = [op for op in evidence.ops if op.config == REBORN]
    gone: Op | None = None
    refused: Op | None = None
    deletion: Op | None = None
    life = 0
    for op in (op for op in calls if op.client == "reborn"):
        if op.kind == "cfg-create" and (op.ok or op.outcome == UNKNOWN or op.code == "103"):
            gone = refused = None
            life = op.args["life"] + 1
        elif op.kind == "cfg-delete":
            deletion = op
            gone = op if op.ok else None
            refused = op if op.code in ("300", "304") else None
            if op.code == "102" and refused is None:
                gone = None
        elif op.kind == "cfg-get" and op.code == "102" and not refused:
            if not gone:
                gone = deletion = op
        elif op.kind == "cfg-get" and refused and op.code == "102":
            gone = deletion = op
            yield Violation("a deletion that happened was answered “nothing was written”",
                            f"#{refused.id} was answered {refused.code}, and #{op.id} does not find the config",
                            [refused, op])
            refused = None
        elif op.kind == "cfg-get" and gone and op.ok:
            yield Violation("a deleted config is still there", f"#{op.id} after #{gone.id}", [gone, op])
        elif op.kind == "get" and op.ok and op.result["item"] and not _may_lag(op, deletion):
            value = op.result["item"][0]
            if gone:
                yield Violation("a key of a deleted config was read", f"#{op.id} shows {value} after #{gone.id}",
                                [gone, op], op.args["key"])
            elif life and value.startswith("L") and int(value[1:].split("-")[0]) < life:
                yield Violation("a key of an earlier life of a config was read",
                                f"#{op.id} shows {value} in life {life}", [op], op.args["key"])
    yield from _followers(calls)


def _may_lag(read: Op, deletion: Op | None) -> bool:
    """Whether a read that need not be linearizable, by another process, began so soon after a deletion that it may miss it."""
    return deletion is not None and read.args["mode"] == "own" and read.process != deletion.process \
        and read.start < deletion.end + REMOVAL_LAG


def _followers(calls: list[Op]) -> Iterable[Violation]:
    """A follower that goes on in the log of another life must be told."""
    lives: dict[str, int] = {}
    for op in calls:
        if op.kind == "follow-ended" and op.ok:
            yield Violation("a log was read that has ended",
                            f"#{op.id} names the log of the life before {op.args['life']}, and was answered", [op])
        if op.kind != "follow":
            continue
        if not op.ok:
            lives.pop(op.client, None)
            continue
        if not op.args["after"]:
            lives.pop(op.client, None)
        for revision, changes in op.result["commits"]:
            for key, kind, value in changes:
                if not value or not value.startswith("L"):
                    continue
                life = int(value[1:].split("-")[0])
                if lives.setdefault(op.client, life) != life:
                    yield Violation("a follower went on in the log of another config",
                                    f"#{op.id} after revision {op.args['after']} of life {lives[op.client]} was told "
                                    f"{value} at {revision}", [op], key)
                    lives[op.client] = life


ALL = (watches, locks, registers, leases, times_to_live, moved_file, reborn)
