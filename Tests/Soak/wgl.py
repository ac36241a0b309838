"""A search for a linearization, after Wing & Gong and Lowe, for histories whose answers name no revision.

A history is linearizable if its calls can be put into one order that respects real time (a call that ended before
another began comes first) and in which every answer is what a sequential object would have answered.

The search takes calls one by one from the front of the history. A state of the search is the set of calls that
were taken and the state of the object; a state that was met before is not tried again (Lowe's memo). A call
without an answer may take effect at any time after its start, or never. An object is checked apart from the
others (P-compositionality), which is right because linearizability is a local property (Herlihy & Wing 1990).

`Step` is what the search sees of a call. Models are functions from a state and a step to the states that may
follow: none if the answer is impossible in that state.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Hashable, Iterable, Sequence

#: A state of an object.
State = Hashable


@dataclass(frozen=True)
class Step:
    """One call on one object. `end` is infinite if the outcome is unknown; then `output` does not count."""

    name: str
    start: float
    end: float
    kind: str
    input: Any = None
    output: Any = None

    @property
    def is_pending(self) -> bool:
        """Whether the call may never have taken effect."""
        return math.isinf(self.end)


Model = Callable[[State, Step], Sequence[State]]


def register(state: State, step: Step) -> Sequence[State]:
    """A register: `read` -> value, `write` value, `cas` (expected, value) -> whether it did, `delete`."""
    if step.kind == "read":
        return (state,) if step.is_pending or step.output == state else ()
    if step.kind == "write":
        return (step.input,)
    if step.kind == "delete":
        return (None,)
    if step.kind == "cas":
        expected, value = step.input
        if step.is_pending:
            return (value,) if state == expected else (state,)
        if step.output:
            return (value,) if state == expected else ()
        return (state,) if state != expected else ()
    raise ValueError(f"a register has no {step.kind}")


def mutex(state: State, step: Step) -> Sequence[State]:
    """A lock: `acquire` by a holder when it is free, `release` by its holder; the state is the holder."""
    if step.kind == "acquire":
        return (step.input,) if state is None else ()
    if step.kind == "release":
        return (None,) if state == step.input else ()
    raise ValueError(f"a lock has no {step.kind}")


@dataclass(frozen=True)
class Verdict:
    """What a search found. `linearizable` is `None` if the search gave up."""

    linearizable: bool | None
    #: How many states of the search were looked at.
    states: int
    #: The longest order that was found.
    longest: tuple[str, ...] = ()


def check(steps: Iterable[Step], model: Model, initial: State = None, limit: int = 200_000) -> Verdict:
    """Looks for a linearization; gives up after `limit` states."""
    order = sorted(steps, key=lambda step: (step.start, step.end))
    required = sum(1 << index for index, step in enumerate(order) if not step.is_pending)
    seen: set[tuple[int, State]] = {(0, initial)}
    # Each entry: the calls taken, the state, and the link to the entry before it with the call that led here.
    stack: list[tuple[int, State, Any]] = [(0, initial, None)]
    best: tuple[int, Any] = (-1, None)
    states = 0
    while stack:
        taken, state, path = stack.pop()
        states += 1
        if taken & required == required:
            return Verdict(True, states, _names(order, path))
        if states >= limit:
            return Verdict(None, states, _names(order, best[1]))
        depth = (taken & required).bit_count()
        if depth > best[0]:
            best = (depth, path)
        for index in reversed(_candidates(order, taken)):
            for following in model(state, order[index]):
                entry = (taken | 1 << index, following)
                if entry not in seen:
                    seen.add(entry)
                    stack.append((*entry, (index, path)))
    return Verdict(False, states, _names(order, best[1]))


def _candidates(order: Sequence[Step], taken: int) -> list[int]:
    """The calls that may come next: no call that is not yet taken ended before they began."""
    found: list[int] = []
    bound = math.inf
    index = _first_missing(taken)
    while index < len(order) and order[index].start <= bound:
        if not taken >> index & 1:
            found.append(index)
            bound = min(bound, order[index].end)
        index += 1
    # A call that was accepted early in the loop may begin after one that was met later has ended.
    return [index for index in found if order[index].start <= bound]


def _first_missing(taken: int) -> int:
    """The index of the lowest bit that is 0."""
    return (~taken & (taken + 1)).bit_length() - 1


def _names(order: Sequence[Step], path: Any) -> tuple[str, ...]:
    names: list[str] = []
    while path is not None:
        index, path = path
        names.append(order[index].name)
    return tuple(reversed(names))


def minimise(steps: Sequence[Step], model: Model, initial: State = None, tries: int = 400) -> list[Step]:
    """Leaves out calls as long as the rest is still impossible, and not for another reason.

    A write that a remaining answer depends on stays, a deletion as long as something was found absent, and a release as
    long as its acquisition.
    """
    kept = sorted(steps, key=lambda step: step.start)
    size = max(1, len(kept) // 2)
    while size and tries:
        index = 0
        while index < len(kept) and tries:
            shorter = _closure(kept[:index] + kept[index + size:], kept, initial)
            tries -= 1
            if len(shorter) < len(kept) and check(shorter, model, initial, 20_000).linearizable is False:
                kept = shorter
            else:
                index += size
        size //= 2
    return kept


def _closure(shorter: list[Step], steps: Sequence[Step], initial: State) -> list[Step]:
    """The steps with those that they cannot do without; all of them if a value that is needed is missing."""
    held = {step.input for step in shorter if step.kind == "acquire"}
    names = {step.name for step in shorter}
    finds_nothing = any(step.kind == "read" and step.output is None or step.kind == "cas" and step.input[0] is None
                        for step in shorter)
    needed = [step for step in steps if step.kind == "release" and step.input in held
              or step.kind == "delete" and finds_nothing or step.name in names]
    return needed if _is_closed(needed, initial) else list(steps)


def _is_closed(steps: Sequence[Step], initial: State) -> bool:
    """Whether each value that is read or expected is also written, and each lock that is released is also acquired."""
    written: set[Any] = {initial, None}
    needed: set[Any] = set()
    for step in steps:
        if step.kind in ("write", "acquire"):
            written.add(step.input)
        elif step.kind == "cas":
            written.add(step.input[1])
            if step.output or step.is_pending:
                needed.add(step.input[0])
        elif step.kind == "read":
            needed.add(step.output)
        elif step.kind == "release":
            needed.add(step.input)
    return needed <= written
