"""What the log says: the state at every revision, worked out apart from discfg."""
from __future__ import annotations

import base64
import bisect
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A key as a commit left it."""

    value: str
    revision: int
    version: int
    created: int
    lease: int | None
    expires: bool

    @property
    def item(self) -> list[Any]:
        """As histories hold items."""
        return [self.value, self.revision, self.version]


@dataclass
class Log:
    """The commits of one config by revision, and the changes of each key."""

    commits: dict[int, dict[str, Any]] = field(default_factory=dict)
    #: For each key the revisions that changed it, and what it was after each.
    keys: dict[str, tuple[list[int], list[Entry | None]]] = field(default_factory=dict)
    #: What the log itself says wrongly, by revision.
    contradictions: list[tuple[int, str]] = field(default_factory=list)

    @property
    def tail(self) -> int:
        """The newest revision."""
        return max(self.commits, default=1)

    @classmethod
    def replay(cls, commits: dict[int, dict[str, Any]]) -> "Log":
        """Works out every state; notes gaps, and changes that contradict the state before them."""
        log = cls(commits)
        expected, time = 2, ""
        for revision in sorted(commits):
            if revision != expected and revision != 1:
                log.contradictions.append((revision, f"the log has no revision {expected} before {revision}"))
            expected = revision + 1
            commit = commits[revision]
            if commit["time"] < time:
                log.contradictions.append((revision, f"time runs backwards from {time} to {commit['time']}"))
            time = commit["time"]
            for change in commit["changes"]:
                log._apply(revision, change)
        return log

    def _apply(self, revision: int, change: dict[str, Any]) -> None:
        key = change["key"]
        before = self.at(key, revision - 1)
        said = change.get("prevItem")
        told = [_text(said), said["revision"], said["version"]] if said else None
        if told != (before.item if before else None):
            self.contradictions.append(
                (revision, f"{key} changes from {told}, and was {before.item if before else 'absent'} in the log"))
        after: Entry | None = None
        if change["kind"] == "set":
            after = Entry(_text(change), revision, change["version"], change["created"], change.get("lease"),
                          "expiration" in change)
            # A set through etcd's v2 API makes the key again, as in etcd.
            again = before is None or (self.commits[revision].get("message") or "").startswith("etcd v2: ") \
                and after.created == revision
            version, created = (1, revision) if again or not before else (before.version + 1, before.created)
            if (after.version, after.created) != (version, created):
                self.contradictions.append(
                    (revision, f"{key} has version {after.version} created {after.created}, not {version}, {created}"))
        revisions, entries = self.keys.setdefault(key, ([], []))
        if revisions and revisions[-1] == revision:
            self.contradictions.append((revision, f"{key} is changed twice"))
        revisions.append(revision)
        entries.append(after)

    def at(self, key: str, revision: int) -> Entry | None:
        """What a key was at a revision."""
        revisions, entries = self.keys.get(key, ([], []))
        index = bisect.bisect_right(revisions, revision)
        return entries[index - 1] if index else None

    def first(self, key: str) -> int | None:
        """The revision at which a key first came to be."""
        return self.keys[key][0][0] if key in self.keys else None

    def between(self, key: str, low: int, high: int) -> list[Entry | None]:
        """Everything that a key was from one revision to another."""
        revisions, entries = self.keys.get(key, ([], []))
        first, last = bisect.bisect_right(revisions, low), bisect.bisect_right(revisions, high)
        return [entries[first - 1] if first else None, *entries[first:last]]

    def state(self, prefix: str, revision: int) -> dict[str, Entry]:
        """All keys below a prefix at a revision, without v2's directories."""
        found = {}
        for key in self.keys:
            if key.startswith(prefix) and not key.endswith("/") and (entry := self.at(key, revision)):
                found[key] = entry
        return found

    def changes(self, prefix: str, after: int, upto: int) -> list[tuple[int, list[list[Any]]]]:
        """What a watch of a prefix is told: commits with key, kind and value of each change."""
        found = []
        for revision in range(after + 1, upto + 1):
            commit = self.commits.get(revision)
            if not commit:
                continue
            shown = [told(change) for change in commit["changes"]
                    if change["key"].startswith(prefix) and not change["key"].endswith("/")]
            if shown:
                found.append((revision, sorted(shown, key=lambda each: each[0])))
        return found


def told(change: dict[str, Any]) -> list[Any]:
    is_set = change["kind"] == "set"
    return [change["key"], "set" if is_set else "delete", _text(change) if is_set else None]


def _text(item: dict[str, Any]) -> str:
    value = item.get("value", "")
    if item.get("encoding") == "base64":
        return base64.b64decode(value).decode("utf-8", "replace")
    return value
