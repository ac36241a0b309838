"""The history of a run: every call with its start, its end and its answer, one JSON object a line.

Times are nanoseconds of the monotonic clock of this machine since the run began. All clients are threads of one
process, so the times of two calls can be compared.
"""
from __future__ import annotations

import collections
import itertools
import json
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Iterator

#: The call was answered, and what it asked for was done.
OK = "ok"
#: The call was answered, and nothing was written.
FAIL = "fail"
#: No answer, or an answer that leaves open whether something was written.
UNKNOWN = "unknown"

#: The kinds of calls that can make a commit.
WRITES = frozenset({"put", "cas", "delete", "txn", "rollback", "import", "lock", "unlock"})


@dataclass
class Op:
    """One call of one client."""

    id: int
    client: str
    api: str
    #: The server process that was asked, as `NAME#LIFE`; a command of the CLI is a process of its own.
    process: str
    kind: str
    config: str
    args: dict[str, Any]
    start: int
    end: int = -1
    outcome: str = UNKNOWN
    #: What an error was: a code of discfg, of HTTP or of gRPC, or the name of an exception.
    code: str = ""
    #: The revision that the answer names, if it does.
    revision: int | None = None
    result: dict[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the call was answered with success."""
        return self.outcome == OK

    def text(self) -> str:
        """The call in one line, for people."""
        end = f"{self.end / 1e9:.3f}" if self.end >= 0 else "?"
        args = " ".join(f"{key}={value}" for key, value in self.args.items() if value is not None)
        answer = self.outcome + (f" {self.code}" if self.code else "")
        if self.revision is not None:
            answer += f" at {self.revision}"
        if self.result:
            answer += " " + json.dumps(self.result, ensure_ascii=False)[:300]
        return (f"[{self.start / 1e9:.3f}, {end}] #{self.id} {self.client} {self.api}@{self.process} "
                f"{self.kind} {args} -> {answer}")


@dataclass
class Answer:
    """What a client made of the answer to a call."""

    outcome: str
    revision: int | None = None
    result: dict[str, Any] = field(default_factory=dict)
    code: str = ""


class Recorder:
    """Collects the calls of all threads, and writes each to a file when it has ended."""

    def __init__(self, path: Path | None = None) -> None:
        self._origin = time.monotonic_ns()
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._file = path.open("w", encoding="utf-8") if path else None
        self.ops: list[Op] = []

    def now(self) -> int:
        """Nanoseconds since the run began."""
        return time.monotonic_ns() - self._origin

    def begin(self, client: str, api: str, process: str, kind: str, config: str, args: dict[str, Any]) -> Op:
        """Notes that a call begins."""
        return Op(next(self._ids), client, api, process, kind, config, args, self.now())

    def end(self, op: Op, answer: Answer) -> Op:
        """Notes how a call ended."""
        op.end = self.now()
        op.outcome, op.code = answer.outcome, answer.code
        op.revision, op.result = answer.revision, answer.result
        with self._lock:
            self.ops.append(op)
            if self._file:
                self._file.write(json.dumps(asdict(op), ensure_ascii=False) + "\n")
        return op

    def fault(self, kind: str, target: str, **args: Any) -> Op:
        """Notes that a fault begins; `end` notes that it is over."""
        return self.begin("nemesis", "", target, "fault:" + kind, "", args)

    def close(self) -> None:
        """Closes the file."""
        if self._file:
            self._file.close()
            self._file = None

    def counts(self) -> dict[str, dict[str, int]]:
        """How many calls of each kind ended in which way."""
        counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        for op in list(self.ops):
            counts[op.kind][op.outcome] += 1
        return {kind: dict(outcomes) for kind, outcomes in sorted(counts.items())}


def load(path: Path) -> Iterator[Op]:
    """Reads a history from a file that a recorder wrote."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield Op(**json.loads(line))
