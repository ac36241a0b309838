"""The checks, on small histories that are known to be good, and on the same with one thing wrong."""
from __future__ import annotations

import base64
import itertools
import unittest
from typing import Any, Callable, Iterable

import support  # noqa: F401  makes the modules of the harness importable
import checks
import checks_sessions
from checks import Evidence, Violation
from history import FAIL, OK, UNKNOWN, Op
from model import Log

_ids = itertools.count(1)


def op(kind: str, start: int, end: int, revision: int | None = None, outcome: str = OK, result: Any = None,
       client: str = "c", api: str = "rest", process: str = "s1#1", config: str = "default", code: str = "",
       **args: Any) -> Op:
    """A call; times are seconds."""
    return Op(next(_ids), client, api, process, kind, config, args, start * 10**9, end * 10**9, outcome, code, revision,
              result or {})


def put(start: int, end: int, revision: int | None, key: str, value: str, outcome: str = OK, **more: Any) -> Op:
    result = {"applied": True} if outcome == OK else {}
    return op("put", start, end, revision, outcome, result, key=key, value=value, **more)


def get(start: int, end: int, revision: int | None, key: str, item: Any, mode: str = "lin", **more: Any) -> Op:
    return op("get", start, end, revision, OK, {"item": item}, key=key, mode=mode, **more)


class LogMaker:
    """Makes a log as REST answers it."""

    def __init__(self) -> None:
        self.commits: dict[int, dict[str, Any]] = {}
        self._state: dict[str, dict[str, Any]] = {}

    def commit(self, message: str = "", **changes: Any) -> "LogMaker":
        """Appends a commit; `k0="a"` sets /k/k0, `k0=None` deletes it."""
        return self.change({f"/k/{name}": value for name, value in changes.items()}, message)

    def change(self, changes: dict[str, str | None], message: str = "", lease: int | None = None) -> "LogMaker":
        """Appends a commit with changes by key."""
        revision = len(self.commits) + 2
        told = []
        for key, value in changes.items():
            before = self._state.pop(key, None)
            change: dict[str, Any] = {"key": key, "kind": "set" if value is not None else "delete"}
            if before:
                change |= {"prevRevision": before["revision"], "prevItem": before}
            if value is not None:
                item = {"key": key, "value": base64.b64encode(value.encode()).decode(), "encoding": "base64",
                        "version": before["version"] + 1 if before else 1,
                        "created": before["created"] if before else revision}
                if lease:
                    item["lease"] = lease
                self._state[key] = item | {"revision": revision}
                change |= item
            told.append(change)
        self.commits[revision] = {"revision": revision, "time": f"2026-01-01T00:00:{revision:02}.000Z",
                                  "message": message, "author": "", "changes": told}
        return self

    def log(self) -> Log:
        """The log, replayed."""
        return Log.replay(self.commits)


class CheckTests(unittest.TestCase):
    """Each check finds its own violation, and nothing in a good history."""

    def rules(self, ops: list[Op], log: LogMaker, *only: Callable[[Evidence], Iterable[Violation]],
              engine: str = "sqlite") -> list[str]:
        """The rules that a history violates."""
        evidence = Evidence(ops, log.log(), engine)
        wanted = only or (*checks.ALL, *checks_sessions.ALL)
        return [violation.rule for check in wanted for violation in check(evidence)]

    def test_a_good_history_is_clean(self) -> None:
        log = LogMaker().commit(a="x").commit(a="y").commit(a=None)
        ops = [put(0, 1, 2, "/k/a", "x"), get(2, 3, 2, "/k/a", ["x", 2, 1]), put(4, 6, 3, "/k/a", "y"),
               get(5, 7, 3, "/k/a", ["y", 3, 2]),
               op("delete", 8, 9, 4, result={"deleted": True}, key="/k/a"), get(10, 11, 4, "/k/a", None)]
        self.assertEqual(self.rules(ops, log), [])

    def test_a_lost_update_is_found(self) -> None:
        log = LogMaker().commit(a="x").commit(a="y").commit(a="z")
        change = log.commits[4]["changes"][0]
        change |= {"version": 2, "prevItem": log.commits[3]["changes"][0]["prevItem"]}
        self.assertIn("the log contradicts itself", self.rules([], log, checks.log_itself))

    def test_a_gap_is_found(self) -> None:
        log = LogMaker().commit(a="x").commit(a="y").commit(a="z")
        del log.commits[3]
        self.assertIn("the log contradicts itself", self.rules([], log, checks.log_itself))

    def test_an_acknowledged_write_that_is_not_in_the_log_is_found(self) -> None:
        ops = [put(0, 1, 2, "/k/a", "x"), put(2, 3, 3, "/k/a", "y")]
        self.assertEqual(self.rules(ops, LogMaker().commit(a="x"), checks.outcomes),
                         ["an acknowledged write is not in the log"])

    def test_a_write_that_took_effect_twice_is_found(self) -> None:
        log = LogMaker().commit(a="x").commit(a="y").commit(a="x")
        self.assertIn("a write took effect twice", self.rules([put(0, 1, 2, "/k/a", "x")], log, checks.outcomes))

    def test_a_refused_write_that_took_effect_is_found(self) -> None:
        log = LogMaker().commit(a="x")
        refused = put(0, 1, None, "/k/a", "x", outcome=FAIL, code="300")
        self.assertEqual(self.rules([refused], log, checks.outcomes), ["a refused write took effect"])
        self.assertEqual(self.rules([put(0, 1, None, "/k/a", "x", outcome=UNKNOWN)], log), [])

    def test_a_compare_that_passed_on_another_item_is_found(self) -> None:
        log = LogMaker().commit(a="x").commit(a="y").commit(a="z")
        ops = [op("cas", 0, 1, 4, result={"applied": True}, key="/k/a", value="z", expect=2)]
        self.assertEqual(self.rules(ops, log, checks.outcomes), ["a compare-and-swap went through on another item"])

    def test_a_stale_read_is_found(self) -> None:
        log = LogMaker().commit(a="x").commit(a="y")
        ops = [put(0, 1, 2, "/k/a", "x"), put(2, 3, 3, "/k/a", "y"), get(4, 5, 2, "/k/a", ["x", 2, 1])]
        found = self.rules(ops, log)
        self.assertIn("a linearizable read is older than what was acknowledged before it began", found)
        self.assertIn("no order of the calls on a key explains the answers", found)

    def test_an_eventual_read_may_be_stale_but_not_behind_its_own_process(self) -> None:
        log = LogMaker().commit(a="x").commit(a="y")
        writes = [put(0, 1, 2, "/k/a", "x", process="s1#1"), put(2, 3, 3, "/k/a", "y", process="s2#1")]
        elsewhere = get(4, 5, 2, "/k/a", ["x", 2, 1], "own", process="s1#1")
        self.assertEqual(self.rules([*writes, elsewhere], log, engine="dynamodb"), [])
        here = get(4, 5, 2, "/k/a", ["x", 2, 1], "own", process="s2#1")
        self.assertEqual(self.rules([*writes, here], log, engine="dynamodb"), ["a read shows what was not there"])

    def test_a_list_of_two_moments_is_found(self) -> None:
        log = LogMaker().change({"/pair/a": "x", "/pair/b": "x"}).change({"/pair/a": "y", "/pair/b": "y"})
        items = {"/pair/a": ["y", 3, 2], "/pair/b": ["x", 2, 1]}
        ops = [op("list", 0, 1, 3, result={"items": items}, prefix="/pair/", mode="lin", api="v3json")]
        self.assertEqual(self.rules(ops, log, checks.reads), ["a read shows what was not there"])

    def test_writes_against_real_time_are_found(self) -> None:
        log = LogMaker().commit(a="x").commit(b="y")
        ops = [put(0, 1, 3, "/k/b", "y"), put(2, 3, 2, "/k/a", "x")]
        self.assertIn("a write is ordered before what was known when it began", self.rules(ops, log, checks.real_time))

    def test_watches_that_miss_repeat_or_split_are_found(self) -> None:
        log = LogMaker().commit(a="x", b="x").commit(a="y")
        whole = [[2, [["/k/a", "set", "x"], ["/k/b", "set", "x"]]], [3, [["/k/a", "set", "y"]]]]

        def watch(commits: Any) -> list[str]:
            return self.rules([op("watch", 0, 1, 3, result={"commits": commits}, watch="w", prefix="/k/", after=1,
                                  generation=1)], log, checks_sessions.watches)
        self.assertEqual(watch(whole), [])
        for wrong in (whole[1:], whole[:1], [*whole, whole[1]], [whole[1], whole[0]],
                      [[2, [["/k/a", "set", "x"]]], whole[1]]):
            self.assertEqual(watch(wrong), ["a watch differs from the log"])

    def test_the_deletion_of_a_directory_tells_that_of_its_keys_in_v2(self) -> None:
        log = LogMaker().commit(a="x", b="x").commit(a=None, b="y")

        def wait(key: str) -> list[str]:
            told = [[3, [["/k", "delete", None]]]]
            return self.rules([op("watch", 0, 1, 3, result={"commits": told}, api="v2", watch="w", prefix=key, after=2,
                                  generation=1)], log, checks_sessions.watches)
        self.assertEqual(wait("/k/a"), [])
        self.assertEqual(wait("/k/b"), ["a watch differs from the log"])

    def test_two_holders_of_a_lock_are_found(self) -> None:
        log = LogMaker().change({"/lock/a/1": ""}, lease=1).change({"/lock/a/2": ""}, lease=2)
        log.change({"/lock/a/1": None})
        first = op("lock", 0, 1, 2, result={"key": "/lock/a/1"}, name="/lock/a", lease=1)
        unlock = op("unlock", 4, 5, 4, name="/lock/a", key="/lock/a/1")
        early = op("lock", 2, 3, 3, result={"key": "/lock/a/2"}, name="/lock/a", lease=2)
        late = op("lock", 2, 6, 4, result={"key": "/lock/a/2"}, name="/lock/a", lease=2)
        self.assertEqual(self.rules([first, late, unlock], log, checks_sessions.locks), [])
        self.assertEqual(set(self.rules([first, early, unlock], log, checks_sessions.locks)),
                         {"two holders of a lock", "no order of lock and unlock explains the answers"})

    def test_an_unlock_without_an_answer_may_have_ended_a_lock(self) -> None:
        log = LogMaker().change({"/lock/a/1": ""}, lease=1).change({"/lock/a/1": None})
        log.change({"/lock/a/2": ""}, lease=2)
        first = op("lock", 0, 1, 2, result={"key": "/lock/a/1"}, name="/lock/a", lease=1)
        unlock = op("unlock", 2, 9, None, outcome="unknown", name="/lock/a", key="/lock/a/1")
        second = op("lock", 3, 4, 4, result={"key": "/lock/a/2"}, name="/lock/a", lease=2)
        revoke = op("revoke", 10, 11, 4, lease=1)
        self.assertEqual(self.rules([first, unlock, second, revoke], log, checks_sessions.locks), [])
        self.assertIn("two holders of a lock", self.rules([first, second, revoke], log, checks_sessions.locks))

    def test_an_unlock_after_its_lease_has_ended_made_no_commit(self) -> None:
        log = LogMaker().change({"/lock/a/1": "x"}, lease=1).change({"/lock/a/1": None})
        seen = get(5, 6, 3, "/k/a", None)
        unlock = op("unlock", 7, 8, 3, name="/lock/a", key="/lock/a/1")
        self.assertNotEqual(self.rules([seen, unlock], log, checks.real_time), [])
        log.commits[3]["message"] = "lease 1 expired"
        self.assertEqual(self.rules([seen, unlock], log, checks.real_time), [])

    def test_a_key_that_lost_its_lease_is_found(self) -> None:
        log = LogMaker().change({"/lease/1/0": "x"}, lease=1).change({"/lease/1/0": None}).change({"/lease/1/0": "x"})
        self.assertIn("a key lost its lease, and stays without end", self.rules([], log, checks_sessions.leases))

    def test_a_lease_that_ends_early_is_found(self) -> None:
        log = LogMaker().change({"/lease/1/0": "x"}, lease=1).change({"/lease/1/0": None})
        ops = [op("grant", 0, 1, 1, result={"ttl": 10}, lease=1, ttl=10), get(2, 3, 3, "/k/a", None)]
        self.assertEqual(self.rules(ops, log, checks_sessions.leases), ["a lease ended before its time"])
        later = [ops[0], get(12, 13, 3, "/k/a", None)]
        self.assertEqual(self.rules(later, log, checks_sessions.leases), [])
        revoked = [*ops, op("revoke", 1, 2, 3, lease=1)]
        self.assertEqual(self.rules(revoked, log, checks_sessions.leases), [])

    def test_a_long_time_to_live_is_found_unless_the_clock_jumped_meanwhile(self) -> None:
        log = LogMaker().commit(a="x")
        given = op("put", 10, 12, 2, result={"ttl": 602}, key="/k/a", value="x", ttl=2)
        rule = ["a time to live is longer than what was asked for"]
        self.assertEqual(self.rules([given], log, checks_sessions.times_to_live), rule)
        # Moved while the call was answered; moved before it; moved back while it was answered.
        for start, end, expected in ((11, 20, []), (5, 20, rule), (5, 11, [])):
            fault = op("fault:clock_skew", start, end, client="nemesis", config="")
            self.assertEqual(self.rules([fault, given], log, checks_sessions.times_to_live), expected)

    def test_an_acknowledgement_while_the_file_is_away_is_found(self) -> None:
        log = LogMaker().commit(a="x")
        away = op("away", 0, 5, client="nemesis", config="")
        self.assertEqual(self.rules([away, put(1, 2, 2, "/k/a", "x")], log, checks_sessions.moved_file),
                         ["a write was acknowledged while the file was away"])

    def test_a_rollback_beside_a_write_is_found(self) -> None:
        log = LogMaker().commit(a="x").commit(a="y").commit(b="z").commit("admin-1", a="x")
        ops = [op("rollback", 0, 1, 5, result={"keys": ["/k/a"]}, to=2, prefix="/k", message="admin-1")]
        self.assertEqual(self.rules(ops, log, checks.administration), ["a rollback restored no single moment"])

    def test_a_follower_of_another_life_is_found(self) -> None:
        def follow(after: int, value: str, at: int) -> Op:
            return op("follow", at, at + 1, result={"commits": [[after + 1, [["/r/0", "set", value]]]]},
                      config="reborn", client="follower0", after=after)
        self.assertEqual(self.rules([follow(1, "L1-a", 1), follow(2, "L2-b", 2)], LogMaker()),
                         ["a follower went on in the log of another config"])
        again = [follow(1, "L1-a", 1), follow(2, "L1-b", 2), follow(0, "L2-c", 3)]
        self.assertEqual(self.rules(again, LogMaker()), [])

    def test_a_log_that_has_ended_is_not_read(self) -> None:
        def ended(**answer: Any) -> Op:
            return op("follow-ended", 0, 1, config="reborn", client="reborn", life=2, **answer)
        self.assertEqual(self.rules([ended()], LogMaker()), ["a log was read that has ended"])
        self.assertEqual(self.rules([ended(outcome=FAIL, code="107")], LogMaker()), [])

    def test_keys_of_a_deleted_config_are_found(self) -> None:
        ops = [op("cfg-create", 0, 1, config="reborn", client="reborn", life=0),
               op("cfg-delete", 2, 3, config="reborn", client="reborn", life=1),
               get(4, 5, None, "/r/0", ["L1-a", 2, 1], config="reborn", client="reborn", life=1)]
        self.assertEqual(self.rules(ops, LogMaker()), ["a key of a deleted config was read"])

    def test_other_processes_may_show_a_deleted_config_for_ten_seconds(self) -> None:
        def rules(start: float, mode: str = "own", process: str = "s2#1") -> list[str]:
            ops = [op("cfg-create", 0, 1, config="reborn", client="reborn", life=0),
                   op("cfg-delete", 2, 3, config="reborn", client="reborn", life=1),
                   get(start, start + 1, None, "/r/0", ["L1-a", 2, 1], mode=mode, config="reborn", client="reborn",
                       process=process, life=1)]
            return self.rules(ops, LogMaker())

        violation = ["a key of a deleted config was read"]
        self.assertEqual(rules(12), [])
        self.assertEqual(rules(14), violation)
        self.assertEqual(rules(12, mode="lin"), violation)
        self.assertEqual(rules(12, process="s1#1"), violation)


if __name__ == "__main__":
    unittest.main()
