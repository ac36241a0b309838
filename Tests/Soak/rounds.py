"""One round: a fresh store, clients and faults for some seconds, liveness after them, and the checks."""
from __future__ import annotations

import shutil
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import checks
import checks_sessions
import report
from checks import Evidence, Violation
from clients import HTTPClient, attempt
from cluster import Cluster, Tools
from history import OK, Op, Recorder
from model import Log
from nemesis import Nemesis, wait_until
from watchers import Collector, Follower, Watcher, watchers
from workload import LOCKS, Setting, Worker
from workload_sessions import LOCK_TTL, workers

#: Seconds after the last fault within which everything must make progress again.
PATIENCE = 30
#: Fewer calls a second than this show nothing: the run is void.
LEAST_RATE = 8.0
#: What a fault does to single requests, or to calls of the system: without any, the fault did nothing.
HITS = {"slow_commits": "slow_commit", "lost_answers": "lost_answer", "delays": "delay", "duplicates": "duplicate",
        "throttling": "throttle", "server_errors": "server_error", "cuts": "cut",
        "disk_full": "disk_failure", "write_eio": "disk_failure", "sync_eio": "disk_failure"}
#: At most this many violations of one rule are reported.
MOST = 5


@dataclass
class Plan:
    """What a round is to be."""

    engine: str
    seed: str
    seconds: float
    servers: int = 2
    clients: int = 6
    faults: list[str] | None = None
    without: frozenset[str] = frozenset()
    #: Whether servers answer reads from memory; `None` for some of them.
    views: bool | None = None
    #: Whether the round waits at its end for progress, with all clients, and for the keys of leases that are over to go.
    awaits_progress: bool = True
    awaits_leases: bool = True


@dataclass
class Outcome:
    """What came of a round."""

    plan: Plan
    violations: list[Violation] = field(default_factory=list)
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    #: Why the round shows nothing; empty if it does.
    void: str = ""
    seconds: float = 0.0
    #: How many of the seconds the checks took.
    checking: float = 0.0
    report: Path | None = None
    commits: int = 0

    @property
    def calls(self) -> int:
        """How many calls were answered with success; what watches were told are not calls."""
        return sum(outcomes.get("ok", 0) for kind, outcomes in self.counts.items()
                   if kind != "watch" and not kind.startswith("fault"))


class Round:
    """Carries out a plan in a folder of its own."""

    def __init__(self, plan: Plan, tools: Tools, folder: Path) -> None:
        self._plan, self._folder = plan, folder
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        self._cluster = Cluster(plan.engine, tools, folder, plan.seed, plan.views)
        self._recorder = Recorder(folder / "history.jsonl")
        self._setting = Setting(self._cluster, self._recorder, plan.seed, plan.without)
        self._nemesis: Nemesis | None = None
        self._stuck: list[Violation] = []

    def run(self) -> Outcome:
        """Runs and checks; stops every process in any case."""
        began = time.monotonic()
        outcome = Outcome(self._plan)
        try:
            collector = self._carry_out()
            checking = time.monotonic()
            evidence = Evidence(self._recorder.ops, Log.replay(collector.commits), self._plan.engine)
            outcome.violations = self._stuck + _check(evidence)
            outcome.checking = time.monotonic() - checking
            outcome.commits = len(collector.commits)
            if outcome.violations:
                outcome.report = self._folder / "report.html"
                title = f"{outcome.violations[0].rule} ({self._plan.engine}, seed {self._plan.seed})"
                report.write(outcome.report, title, outcome.violations, evidence.ops, evidence.log)
        finally:
            HTTPClient.cut_rate = 0.0
            self._setting.stopping.set()
            if self._setting.grpc:
                self._setting.grpc.close()
            self._cluster.stop()
            self._recorder.close()
        outcome.counts = self._recorder.counts()
        outcome.faults = self._faults()
        outcome.seconds = time.monotonic() - began
        outcome.void = void(outcome)
        return outcome

    def _faults(self) -> Counter[str]:
        faults: Counter[str] = Counter(self._nemesis.injected if self._nemesis else {})
        for proxy in self._cluster.proxies:
            faults.update({f"request:{name}": count for name, count in proxy.injected.items()})
        controls = [server.control for server in self._cluster.servers if server.control]
        if failures := sum(control.failures for control in controls):
            faults["request:disk_failure"] = failures
        return faults

    def _carry_out(self) -> Collector:
        plan, setting, cluster = self._plan, self._setting, self._cluster
        cluster.start(plan.servers)
        threads: list[Worker] = workers(setting, plan.clients)
        watching = watchers(setting)
        collector = Collector(setting)
        threads += [*watching, Follower(setting, "follower0"), Follower(setting, "follower1"), collector]
        for thread in threads:
            thread.start()
        nemesis = self._nemesis = Nemesis(setting, plan.faults)
        for proxy in cluster.proxies:
            proxy.rates = nemesis.base_rates()
        nemesis.start()
        time.sleep(plan.seconds)
        nemesis.stop()
        HTTPClient.cut_rate = 0.0
        self._unexpected_deaths()
        cluster.heal()
        if plan.awaits_progress:
            self._liveness(watching)
        setting.stopping.set()
        for thread in threads:
            # A watch may be waiting for an event that does not come any more.
            thread.join(timeout=0.1 if isinstance(thread, Watcher) else 30)
        for thread in [*threads, nemesis]:
            if thread.error:
                raise RuntimeError(f"{thread.name} of the harness failed: {thread.error!r}") from thread.error
        # Before the log is read for the last time: what its newest state still has was not removed.
        if plan.awaits_leases:
            self._leftovers()
        if not wait_until(lambda: collector.read(cluster.servers[0]), PATIENCE):
            self._complain("the log could not be read after the faults")
        return collector

    def _complain(self, text: str, rule: str = "no progress after the faults ended") -> None:
        self._stuck.append(Violation(rule, text))

    def _unexpected_deaths(self) -> None:
        """A server ends only if it is killed."""
        for server in self._cluster.servers:
            status = server.died()
            if status is not None:
                self._complain(f"{server.process} ended with status {status}: see {server.name}.log",
                               rule="a server ended by itself")

    def _liveness(self, watching: list[Watcher]) -> None:
        """Every server takes writes and gives locks again, and every watch comes to the newest revision."""
        setting, probe = self._setting, Worker(self._setting, "probe")
        revision = 0
        for server in self._cluster.servers:
            if self._stuck:
                break  # one is enough, and each waits long
            for key in ("/k/0", "/k/1", "/pair/a"):
                def put(key: str = key) -> bool:
                    nonlocal revision
                    value = probe.unique()
                    op = probe.call("rest", server, "put", "default", {"key": key, "value": value},
                                    lambda: setting.rest.put(server, "default", key, value))
                    revision = max(revision, op.revision or 0)
                    return op.ok
                if not wait_until(put, PATIENCE, 0.2):
                    self._complain(f"{server.process} takes no write to {key}")
                    break
            for name in LOCKS if not self._stuck else ():
                def lock(name: str = name) -> bool:
                    lease = probe.random.getrandbits(40) + 1
                    if not attempt(lambda: setting.v3.grant(server, lease, 20)).outcome == "ok":
                        return False
                    op = probe.call("v3json", server, "lock", "default", {"name": name, "lease": lease},
                                    lambda: setting.v3.lock(server, name, lease, 15))
                    revoked = probe.call("v3json", server, "revoke", "default", {"lease": lease},
                                         lambda: setting.v3.revoke(server, lease))
                    return op.ok and revoked.ok
                if not wait_until(lock, PATIENCE, 0.2):
                    self._complain(f"{server.process} gives nobody the lock {name}")
                    break
        for watcher in watching:
            # How fast a watch catches up depends on the machine and on its reader; that it goes on does not.
            while (seen := watcher.revision) < _last(watcher, revision):
                if not wait_until(lambda: watcher.revision != seen, PATIENCE):
                    self._complain(f"the watch {watcher.name} has come to {seen}, and there is {revision}")
                    break

    def _leftovers(self) -> None:
        """Keys of a lease that is over go, and while there are any, some go within its time to live and a few sweeps."""
        server, v3 = self._cluster.servers[0], self._setting.v3

        def left() -> list[str] | None:
            """The keys, or `None` if a call failed."""
            found = []
            for prefix in ("/lease/", "/lock/"):
                answer = attempt(lambda: v3.list(server, "default", prefix))
                if answer.outcome != OK:
                    return None
                for key, item in answer.result["items"].items():
                    lease = int(key.split("/")[2], 10) if prefix == "/lease/" else int(key.rsplit("/", 1)[1], 16)
                    answer = attempt(lambda: v3.time_to_live(server, lease))
                    if answer.outcome != OK:
                        return None
                    # An overdue lease shows 1 until it is ended.
                    if answer.result["ttl"] <= 1:
                        found.append(f"{key} = {item}, lease {lease}")
            return found
        # How long it takes to end all depends on the machine and on their number; that it goes on does not.
        known = left()
        while known != [] and wait_until(lambda: (now := left()) is not None and now != known, LOCK_TTL + PATIENCE, 0.5):
            known = left()
        if known is None:
            self._complain("the keys of leases could not be read after the faults")
        for text in (known or [])[:MOST]:
            self._complain(text, rule="a key outlives its lease")


def void(outcome: Outcome) -> str:
    """Why a round shows nothing; empty if it does."""
    plan = outcome.plan
    if outcome.calls < LEAST_RATE * plan.seconds:
        return f"only {outcome.calls} calls in {plan.seconds:.0f} s"
    if not any(not name.startswith("request:") for name in outcome.faults):
        return "no fault was injected"
    # One that came once may have been over before a request came.
    idle = [kind for kind, request in HITS.items()
            if outcome.faults[kind] > 1 and not outcome.faults["request:" + request]]
    if idle:
        return f"no request met the faults {', '.join(idle)}"
    missing = [kind for kind in ("put", "get", "list", "cas", "delete", "txn", "watch", "lock")
               if not outcome.counts.get(kind, {}).get("ok")]
    missing = [kind for kind in missing if kind not in plan.without]
    return f"no {', '.join(missing)} succeeded" if missing else ""


def _last(watcher: Watcher, revision: int) -> int:
    """The revision that a watch must come to: of the last probe below its prefix, or one close to it."""
    return revision if watcher.prefix == "/" else revision - 40


def _check(evidence: Evidence) -> list[Violation]:
    found: list[Violation] = []
    for check in [*checks.ALL, *checks_sessions.ALL]:
        of_check: Counter[str] = Counter()
        for violation in check(evidence):
            of_check[violation.rule] += 1
            if of_check[violation.rule] <= MOST:
                found.append(violation)
    return found
