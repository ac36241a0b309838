"""Histories known to be good and bad, for the search for a linearization."""
from __future__ import annotations

import math
import random
import unittest

import support  # noqa: F401  makes the modules of the harness importable
from wgl import Step, check, minimise, mutex, register

NEVER = math.inf


def write(name: str, start: float, end: float, value: str) -> Step:
    return Step(name, start, end, "write", value)


def read(name: str, start: float, end: float, value: str | None) -> Step:
    return Step(name, start, end, "read", None, value)


def cas(name: str, start: float, end: float, old: str | None, new: str, done: bool = True) -> Step:
    return Step(name, start, end, "cas", (old, new), done)


class RegisterTests(unittest.TestCase):
    """A register with reads, writes, compare-and-swap and deletions."""

    def good(self, *steps: Step) -> None:
        self.assertIs(check(steps, register).linearizable, True)

    def bad(self, *steps: Step) -> None:
        self.assertIs(check(steps, register).linearizable, False)

    def test_nothing_is_linearizable(self) -> None:
        self.good()

    def test_a_read_during_a_write_may_see_either_value(self) -> None:
        self.good(write("w", 0, 10, "a"), read("r1", 1, 2, None), read("r2", 3, 4, "a"))
        self.bad(write("w", 0, 10, "a"), read("r1", 1, 2, "a"), read("r2", 3, 4, None))

    def test_a_stale_read_is_found(self) -> None:
        self.bad(write("w1", 0, 1, "a"), write("w2", 2, 3, "b"), read("r", 4, 5, "a"))

    def test_a_read_of_a_value_never_written_is_found(self) -> None:
        self.bad(write("w", 0, 1, "a"), read("r", 2, 3, "x"))

    def test_a_lost_update_is_found(self) -> None:
        self.bad(write("w", 0, 1, "a"), cas("c1", 2, 5, "a", "b"), cas("c2", 3, 6, "a", "c"))

    def test_a_failed_compare_needs_another_value(self) -> None:
        self.bad(write("w", 0, 1, "a"), cas("c", 2, 3, "a", "b", done=False))
        self.good(write("w", 0, 1, "a"), write("x", 1.5, 4, "z"), cas("c", 2, 3, "a", "b", done=False))

    def test_an_unknown_write_may_come_late_or_never(self) -> None:
        pending = write("w", 0, NEVER, "a")
        self.good(pending, read("r1", 1, 2, None), read("r2", 3, 4, "a"))
        self.good(pending, read("r1", 1, 2, None), read("r2", 3, 4, None))
        self.bad(pending, read("r1", 1, 2, "a"), read("r2", 3, 4, None))

    def test_an_unknown_write_does_not_come_before_its_start(self) -> None:
        self.bad(read("r", 0, 1, "a"), write("w", 2, NEVER, "a"))

    def test_a_deleted_value_does_not_come_back(self) -> None:
        self.bad(write("w", 0, 1, "a"), Step("d", 2, 3, "delete"), read("r", 4, 5, "a"))

    def test_the_search_gives_up_at_its_limit(self) -> None:
        steps = [write(f"w{i}", 0, 100, str(i)) for i in range(12)] + [read("r", 200, 201, "none of them")]
        self.assertIsNone(check(steps, register, limit=50).linearizable)

    def test_random_histories_of_a_real_register_are_linearizable(self) -> None:
        for seed in range(60):
            self.assertIs(check(simulate(seed), register).linearizable, True, f"seed {seed}")

    def test_random_histories_of_a_register_that_forgets_are_found(self) -> None:
        found = sum(check(simulate(seed, forgets=True), register).linearizable is False for seed in range(60))
        self.assertGreater(found, 20)

    def test_memory_agrees_with_trying_every_order(self) -> None:
        for seed in range(150):
            steps = simulate(seed, count=6, forgets=seed % 2 == 1)
            self.assertEqual(check(steps, register).linearizable, by_permutation(steps), f"seed {seed}")

    def test_a_bad_history_is_minimised(self) -> None:
        noise = [write(f"n{i}", i, i + 0.5, f"n{i}") for i in range(40)]
        steps = noise + [write("w1", 50, 51, "a"), write("w2", 52, 53, "b"), read("r", 54, 55, "a")]
        kept = minimise(steps, register)
        self.assertEqual({step.name for step in kept}, {"w1", "w2", "r"})


class MutexTests(unittest.TestCase):
    """A lock with holders."""

    @staticmethod
    def step(kind: str, holder: str, start: float, end: float) -> Step:
        return Step(f"{kind} {holder}", start, end, kind, holder)

    def test_one_holder_after_another(self) -> None:
        steps = [self.step("acquire", "a", 0, 1), self.step("release", "a", 2, 4), self.step("acquire", "b", 0.5, 3)]
        self.assertIs(check(steps, mutex).linearizable, True)

    def test_two_holders_are_found(self) -> None:
        steps = [self.step("acquire", "a", 0, 1), self.step("acquire", "b", 0.5, 3), self.step("release", "a", 4, 5)]
        self.assertIs(check(steps, mutex).linearizable, False)

    def test_an_unknown_release_lets_the_next_in(self) -> None:
        steps = [self.step("acquire", "a", 0, 1), self.step("release", "a", 2, NEVER), self.step("acquire", "b", 3, 4)]
        self.assertIs(check(steps, mutex).linearizable, True)


def simulate(seed: int, count: int = 40, forgets: bool = False) -> list[Step]:
    """A history of four clients on a register; one that forgets answers some reads with an older value."""
    rng = random.Random(seed)
    value: str | None = None
    older: list[str | None] = [None]
    free = [0.0] * 4
    steps: list[Step] = []
    moment = 0.0
    for number in range(count):
        client = rng.randrange(4)
        moment = max(moment + rng.random(), free[client])
        start = max(free[client], moment - rng.random() * 2)
        end = moment + rng.random() * 2
        if rng.random() < 0.5:
            shown = rng.choice(older) if forgets and rng.random() < 0.3 else value
            steps.append(read(f"{number}", start, end, shown))
        else:
            older.append(value)
            value = f"v{number}"
            steps.append(write(f"{number}", start, end, value))
        free[client] = end
    return steps


def by_permutation(steps: list[Step]) -> bool:
    """Tries every order that real time allows."""
    def extend(rest: list[Step], state: object) -> bool:
        if not rest:
            return True
        for step in rest:
            if all(other.end >= step.start for other in rest if other is not step):
                for following in register(state, step):  # type: ignore[arg-type]
                    if extend([other for other in rest if other is not step], following):
                        return True
        return False
    return extend(steps, None)


if __name__ == "__main__":
    unittest.main()
