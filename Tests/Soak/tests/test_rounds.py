"""When a round shows nothing."""
from __future__ import annotations

import dataclasses
import unittest
from collections import Counter

import support  # noqa: F401  makes the modules of the harness importable
from nemesis import COMMON, OF_ENGINE
from proxy import Rates
from rounds import HITS, Outcome, Plan, void

CALLS = ("put", "get", "list", "cas", "delete", "txn", "watch", "lock")


def outcome(calls: int = 100, **faults: int) -> Outcome:
    """A round of a second with as many calls of each kind."""
    names = {name.replace("__", ":"): count for name, count in faults.items()}
    return Outcome(Plan("dynamodb", "1", 1.0), counts={kind: {"ok": calls} for kind in CALLS}, faults=Counter(names))


class Voids(unittest.TestCase):
    def test_a_round_with_calls_and_faults_shows_something(self) -> None:
        self.assertEqual(void(outcome(kill=1)), "")
        self.assertEqual(void(outcome(lost_answers=3, request__lost_answer=1)), "")

    def test_few_calls_or_none_of_a_kind_show_nothing(self) -> None:
        self.assertEqual(void(outcome(1, kill=1)), "only 7 calls in 1 s")
        some = outcome(kill=1)
        del some.counts["lock"]
        self.assertEqual(void(some), "no lock succeeded")

    def test_a_round_without_a_fault_shows_nothing(self) -> None:
        self.assertEqual(void(outcome(request__delay=1)), "no fault was injected")

    def test_faults_that_no_request_met_show_nothing(self) -> None:
        self.assertEqual(void(outcome(lost_answers=2, request__delay=1)), "no request met the faults lost_answers")
        self.assertEqual(void(outcome(disk_full=2)), "no request met the faults disk_full")
        self.assertEqual(void(outcome(cuts=1)), "")

    def test_every_name_is_that_of_a_fault(self) -> None:
        kinds = {*COMMON, *(kind for kinds in OF_ENGINE.values() for kind in kinds)}
        self.assertLessEqual(set(HITS), kinds)
        rates = {field.name for field in dataclasses.fields(Rates)}
        self.assertLessEqual(set(HITS.values()), rates | {"disk_failure"})


if __name__ == "__main__":
    unittest.main()
