"""Checks of a history against the log: order, reads, writes and their outcomes."""
from __future__ import annotations

import bisect
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Iterable

from history import FAIL, OK, UNKNOWN, WRITES, Op
from model import Entry, Log, told

#: Seconds by which a wall clock of a server may be off while nothing else is wrong with it.
CLOCK_TOLERANCE = 1.5


@dataclass
class Violation:
    """Something that must not happen, with the calls that show it."""

    rule: str
    text: str
    ops: list[Op] = field(default_factory=list)
    #: The key that it is about, if it is about one: the report adds the other calls on it.
    key: str | None = None
    #: Revisions of the log that belong to it.
    revisions: tuple[int, ...] = ()


@dataclass
class Evidence:
    """A history with the log that it led to, and what follows from both."""

    ops: list[Op]
    log: Log
    engine: str

    def __post_init__(self) -> None:
        self.ops = sorted(self.ops, key=lambda op: op.start)
        self.calls = [op for op in self.ops if op.config == "default" and op.client != "nemesis"]
        #: The call that made each commit.
        self.authors: dict[int, Op] = {}
        self._by_value: dict[str, list[int]] = defaultdict(list)
        for revision, commit in self.log.commits.items():
            if commit.get("message"):
                self._by_value[commit["message"]].append(revision)
            for text in {_change_text(change) for change in commit["changes"]} - {""}:
                self._by_value[text].append(revision)
        for op in self.calls:
            revision = self.log.first(op.result.get("key", "")) if op.kind == "lock" else op.revision
            if op.kind in WRITES and op.ok and revision and _made(self.log.commits.get(revision), op):
                self.authors.setdefault(revision, op)
        for op in self.calls:
            if op.outcome == UNKNOWN:
                for revision in self.commits_of(op):
                    self.authors.setdefault(revision, op)

    def commits_of(self, op: Op) -> list[int]:
        """The commits that carry the value or the message of a call; deletions through etcd's APIs carry none."""
        marks = [op.args.get("message"), op.args.get("value")]
        marks += list(op.args.get("sets", {}).values())[:1]
        marks += list(op.args.get("keys", {}).values())[:1] if isinstance(op.args.get("keys"), dict) else []
        found: set[int] = set()
        for mark in marks:
            if mark:
                found.update(revision for revision in self._by_value.get(mark, ())
                             if not _is_copy(self.log.commits[revision], op))
        return sorted(found)


def _made(commit: dict[str, Any] | None, op: Op) -> bool:
    """Whether a commit is the one that a call asked for; without anything to do an answer names another's revision."""
    if not commit:
        return False
    if op.kind in ("rollback", "import"):
        return commit.get("message") == op.args["message"]
    changes = {change["key"]: told(change)[2] for change in commit["changes"]}
    if op.kind == "lock":
        return op.result["key"] in changes
    if op.kind == "unlock" and (commit.get("message") or "").startswith("lease "):
        # The lease ended first; then the answer names the newest revision, whichever that is.
        return False
    if op.kind in ("delete", "unlock"):
        return op.result.get("deleted", True) and changes.get(op.args["key"], "") is None
    wanted = op.args["sets"] if op.kind == "txn" else {op.args["key"]: op.args["value"]}
    return op.result.get("applied", True) and any(changes.get(key) == value for key, value in wanted.items())


def _change_text(change: dict[str, Any]) -> str:
    return told(change)[2] or ""


def _is_copy(commit: dict[str, Any], op: Op) -> bool:
    """Whether a commit holds the value only because a rollback brought it back."""
    message = commit.get("message") or ""
    return message.startswith("admin-") and message != op.args.get("message")


def log_itself(evidence: Evidence) -> Iterable[Violation]:
    """The log has no gaps, its time does not run backwards, and each change names what was there before."""
    for revision, text in evidence.log.contradictions:
        author = evidence.authors.get(revision)
        key = text.split(" ")[0] if text.startswith("/") else None
        before = evidence.authors.get(revision - 1)
        yield Violation("the log contradicts itself", f"revision {revision}: {text}",
                        [op for op in (before, author) if op], key, (revision - 1, revision))


def outcomes(evidence: Evidence) -> Iterable[Violation]:
    """What was acknowledged is in the log once, as it was answered; what was refused is not."""
    for op in evidence.calls:
        if op.kind not in WRITES or op.kind in ("lock", "unlock"):
            continue
        revisions = evidence.commits_of(op)
        applied = op.ok and op.result.get("applied", True) and op.result.get("deleted", True) \
            and op.result.get("keys", True)
        if op.kind == "import" and op.ok:
            continue  # may have changed nothing; its state is checked with the reads
        if len(revisions) > 1 and op.kind != "rollback":  # many keys are several commits on a table
            yield Violation("a write took effect twice", f"#{op.id} is in revisions {revisions}", [op],
                            op.args.get("key"), tuple(revisions))
        if op.outcome == FAIL and revisions:
            yield Violation("a refused write took effect", f"#{op.id} was answered {op.code}, and is revision "
                            f"{revisions[0]}", [op], op.args.get("key"), tuple(revisions))
        elif op.ok and not applied and revisions:
            yield Violation("a write whose condition failed took effect", f"#{op.id} is revision {revisions[0]}", [op],
                            op.args.get("key"), tuple(revisions))
        elif applied and op.revision:
            yield from _acknowledged(evidence, op)


def _acknowledged(evidence: Evidence, op: Op) -> Iterable[Violation]:
    revision = op.revision or 0
    commit = evidence.log.commits.get(revision)
    wanted: dict[str, str | None] = dict(op.args.get("sets", {}))
    if op.kind in ("put", "cas"):
        wanted[op.args["key"]] = op.args["value"]
    elif op.kind == "delete":
        wanted[op.args["key"]] = None
    for key, value in wanted.items():
        changed = [change for change in (commit or {}).get("changes", []) if change["key"] == key]
        entry = evidence.log.at(key, revision)
        if not changed or (entry.value if entry else None) != value:
            yield Violation("an acknowledged write is not in the log",
                            f"#{op.id} was answered revision {revision}, where {key} is "
                            f"{entry.item if entry else 'absent'}", [op], key, (revision,))
        elif entry and op.result.get("version") not in (None, entry.version):
            yield Violation("a wrong version was answered", f"#{op.id} names version {op.result['version']} of {key}, "
                            f"the log {entry.version}", [op], key, (revision,))
        elif op.result.get("prev"):
            before = evidence.log.at(key, revision - 1)
            prev = op.result["prev"]
            if not before or before.item[:2] != prev[:2]:
                yield Violation("a wrong previous item was answered", f"#{op.id} names {prev} before revision "
                                f"{revision}, the log {before.item if before else 'nothing'}", [op], key, (revision,))
    expected = {op.args["key"]: op.args["expect"]} if op.kind == "cas" else op.args.get("expect", {})
    for key, expect in expected.items():
        before = evidence.log.at(key, revision - 1)
        if (before.revision if before else 0) != expect and not (before and before.expires):
            yield Violation("a compare-and-swap went through on another item",
                            f"#{op.id} expected {key} at revision {expect}, and it was {before and before.item}", [op],
                            key, (revision,))


def real_time(evidence: Evidence) -> Iterable[Violation]:
    """A call never answers with less than what was acknowledged before it began, and a write comes after it."""
    ended = sorted((op for op in evidence.calls if op.ok and op.revision and _tells_tail(evidence, op)),
                   key=lambda op: op.end)
    newest: Op | None = None
    waiting = iter(ended)
    following = next(waiting, None)
    for op in evidence.calls:
        while following and following.end < op.start:
            if not newest or (following.revision or 0) > (newest.revision or 0):
                newest = following
            following = next(waiting, None)
        if not newest or not op.ok or not op.revision:
            continue
        floor = newest.revision or 0
        is_write = evidence.authors.get(op.revision) is op
        if is_write and op.revision <= floor:
            yield Violation("a write is ordered before what was known when it began",
                            f"#{op.id} has revision {op.revision}; #{newest.id} had shown {floor} before", [newest, op])
        elif _must_be_new(evidence, op) and op.revision < floor:
            yield Violation("a linearizable read is older than what was acknowledged before it began",
                            f"#{op.id} answers as of {op.revision}; #{newest.id} had shown {floor} before",
                            [newest, op])
        author = evidence.authors.get(op.revision)
        if author and author is not op and author.start > op.end:
            yield Violation("a revision was shown before its write began",
                            f"#{op.id} names {op.revision}, the revision of #{author.id}", [op, author])


def _tells_tail(evidence: Evidence, op: Op) -> bool:
    """Whether the revision of an answer says that the log had come so far."""
    return op.kind in WRITES | {"get", "list", "watch"} and op.args.get("mode") not in ("rev",)


def _must_be_new(evidence: Evidence, op: Op) -> bool:
    """Whether an answer names the revision of the whole state, which must be new. A get on a table names its key's."""
    if op.kind not in ("get", "list") or op.args.get("mode") != "lin":
        return False
    return not (evidence.engine == "dynamodb" and op.kind == "get" and op.api in ("rest", "cli"))


class Floors:
    """For each moment the newest revision that was acknowledged before it; for all processes, or for one and a key."""

    def __init__(self, evidence: Evidence) -> None:
        self._all: tuple[list[int], list[int]] = ([], [])
        self._own: dict[tuple[str, str], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        newest = 0
        for op in sorted((op for op in evidence.calls if op.ok and op.revision and _tells_tail(evidence, op)),
                         key=lambda op: op.end):
            newest = max(newest, op.revision or 0)
            self._all[0].append(op.end)
            self._all[1].append(newest)
            if evidence.authors.get(op.revision or 0) is op:
                for key in [op.args["key"]] if "key" in op.args else list(op.args.get("sets", {})):
                    ends, revisions = self._own[op.process, key]
                    ends.append(op.end)
                    revisions.append(max(op.revision or 0, revisions[-1] if revisions else 0))

    def floor(self, op: Op, key: str) -> int:
        """The revision that a read of a key must at least show."""
        ends, revisions = self._all if op.args["mode"] == "lin" else self._own.get((op.process, key), ([], []))
        index = bisect.bisect_left(ends, op.start)
        return revisions[index - 1] if index else 0


def reads(evidence: Evidence) -> Iterable[Violation]:
    """Every read equals the state at its revision; one without a revision equals a state that it may see."""
    floors = Floors(evidence)
    for op in evidence.calls:
        if not op.ok or op.kind not in ("get", "list"):
            continue
        mode = op.args["mode"]
        exact = op.args.get("rev") if mode == "rev" else op.revision if _must_be_new(evidence, op) else None
        if op.kind == "list":
            prefix, shown = op.args["prefix"], op.result["items"]
            keys = set(shown) | {key for key in evidence.log.keys if key.startswith(prefix) and not key.endswith("/")}
        else:
            shown, keys = {op.args["key"]: op.result["item"]}, {op.args["key"]}
        for key in sorted(keys):
            item = shown.get(key)
            low = exact if exact is not None else floors.floor(op, key)
            high = exact if exact is not None else evidence.log.tail
            if op.api == "v2" and evidence.engine == "dynamodb":
                # There the index is read before the item: a wait after it misses nothing, and may be told again.
                high = evidence.log.tail
            allowed = evidence.log.between(key, low, high)
            if not any(_shows(entry, item, mode) for entry in allowed):
                known = ", ".join(str(entry.item) if entry else "absent" for entry in allowed[:3])
                yield Violation("a read shows what was not there", f"#{op.id} shows {key} as {item or 'absent'}; from "
                                f"revision {low} on it was {known}", [op], key, (low,))


def _shows(entry: Entry | None, item: list[Any] | None, mode: str) -> bool:
    if item is None:
        # A key whose time is over is absent at once, before the commit that says so.
        return entry is None or entry.expires
    return entry is not None and item[:2] == entry.item[:2] and item[2] in (None, entry.version)


def administration(evidence: Evidence) -> Iterable[Violation]:
    """History, differences, rollbacks and imports agree with the log."""
    for op in evidence.calls:
        if not op.ok:
            continue
        if op.kind == "rollback" and op.revision:
            yield from _rollback(evidence, op)
        elif op.kind == "import" and op.revision:
            for name, value in op.args["keys"].items():
                key = f"{op.args['prefix']}/{name}"
                entry = evidence.log.at(key, op.revision)
                if not entry or entry.value.strip('"') != value:
                    yield Violation("an import left a key as it was", f"#{op.id}: at revision {op.revision} {key} is "
                                    f"{entry and entry.item}, not {value}", [op], key, (op.revision,))
        elif op.kind == "history":
            for commit in op.result["body"]["commits"]:
                known = evidence.log.commits.get(commit["revision"])
                keys = sorted(change["key"] for change in commit["changes"])
                if not known or not set(keys) <= {change["key"] for change in known["changes"]}:
                    yield Violation("history differs from the log", f"#{op.id}: revision {commit['revision']} "
                                    f"changes {keys}", [op], op.args["key"], (commit["revision"],))
        elif op.kind == "diff":
            yield from _difference(evidence, op)


def _rollback(evidence: Evidence, op: Op) -> Iterable[Violation]:
    log, prefix, to = evidence.log, op.args["prefix"] or "/", op.args["to"]
    then = log.state(prefix, to)
    now = log.state(prefix, op.revision or 0)
    for key in sorted(then.keys() | now.keys()):
        if key.startswith(("/lease/", "/lock/", "/ttl/")):
            continue  # what ends by itself is left out
        was, became = then.get(key), now.get(key)
        if (was and was.value) != (became and became.value):
            yield Violation("a rollback restored no single moment", f"#{op.id} to {to}: at revision {op.revision} "
                            f"{key} is {became and became.value}, and was {was and was.value}", [op], key,
                            (op.revision or 0,))


def _difference(evidence: Evidence, op: Op) -> Iterable[Violation]:
    log, low, high = evidence.log, op.args["from"], op.args["to"]
    shown = {change["key"] for change in op.result["body"]["changes"] if not change["key"].endswith("/")}
    changed = {key for key in log.keys if not key.endswith("/") and log.at(key, low) != log.at(key, high)}
    for key in sorted(shown ^ changed):
        before, after = log.at(key, low), log.at(key, high)
        if key in changed and before and after and before.value == after.value:
            continue
        yield Violation("a difference disagrees with the log", f"#{op.id}: {key} between {low} and {high}", [op], key)


def unfinished(evidence: Evidence) -> Iterable[Violation]:
    """The store was never called damaged: no fault damages it."""
    for op in evidence.ops:
        if op.client != "nemesis" and op.code == "302" and evidence.engine != "sqlite":
            yield Violation("a healthy store was called damaged", f"#{op.id} was answered 302", [op])


ALL = (log_itself, outcomes, real_time, reads, administration, unfinished)
__all__ = ["ALL", "CLOCK_TOLERANCE", "Evidence", "OK", "Violation"]
