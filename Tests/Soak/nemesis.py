"""Faults, one after another, on a schedule that a seed repeats."""
from __future__ import annotations

import os
import random
import shutil
import threading
import time
from collections import Counter
from typing import Callable

import shim
from clients import HTTPClient
from cluster import Server
from history import OK, Answer
from proxy import Rates
from workload import Setting

#: The faults of each engine, with their weights.
COMMON = {"kill": 3, "pause": 3, "clock_step": 2, "clock_skew": 2, "cut_connections": 1}
OF_ENGINE = {
    "sqlite": {"disk_full": 2, "write_eio": 1, "sync_eio": 1, "power_loss": 2, "moved_file": 2},
    "dynamodb": {"slow_commits": 6, "lost_answers": 3, "delays": 3, "duplicates": 2, "throttling": 2,
                 "server_errors": 2, "clean_up_fails": 2, "cuts": 2},
    "memory": {},
}
#: A wall clock that is this many seconds off.
SKEWS = (-600, -30, -2, 2, 30, 600)


class Nemesis(threading.Thread):
    """Injects faults until it is told to stop. On memory a process is never killed: its store would be gone."""

    def __init__(self, setting: Setting, only: list[str] | None = None) -> None:
        super().__init__(name="nemesis", daemon=True)
        self._setting, self._cluster = setting, setting.cluster
        self._random = random.Random(f"{setting.seed}/nemesis")
        self._stopping = threading.Event()
        self.injected: Counter[str] = Counter()
        self.error: BaseException | None = None
        weights = COMMON | OF_ENGINE[self._cluster.engine]
        if self._cluster.engine == "memory":
            del weights["kill"]
        if not self._cluster.tools.library:
            needs = ("clock_step", "clock_skew", "disk_full", "write_eio", "sync_eio", "power_loss")
            weights = {kind: weight for kind, weight in weights.items() if kind not in needs}
        if only:
            weights = {kind: weight for kind, weight in weights.items() if kind in only}
        self._weights = weights

    @property
    def kinds(self) -> list[str]:
        """The faults that can come."""
        return sorted(self._weights)

    def stop(self) -> None:
        """Ends the fault under way, and begins no other."""
        self._stopping.set()
        self.join()

    def run(self) -> None:
        """One fault after another, with a pause between them."""
        try:
            bag: list[str] = []
            while self._weights and not self._stopping.wait(self._random.uniform(0.3, 1.2)):
                # Every kind once in an order of its own, before those with more weight come again.
                bag = bag or self._shuffled()
                kind = bag.pop()
                length = self._random.uniform(0.4, 2.0)
                server = self._random.choice(self._cluster.servers)
                choice = self._random.random()
                op = self._setting.recorder.fault(kind, server.process, seconds=round(length, 2))
                getattr(self, "_" + kind)(server, length, choice)
                self._setting.recorder.end(op, Answer(OK))
                self.injected[kind] += 1
        except BaseException as error:  # noqa: BLE001  reported by the run
            self.error = error

    def _shuffled(self) -> list[str]:
        bag = [kind for kind, weight in sorted(self._weights.items()) for _ in range(weight)]
        self._random.shuffle(bag)
        firsts = list(dict.fromkeys(bag))
        for kind in firsts:
            bag.remove(kind)
        return bag + firsts

    def _sleep(self, seconds: float) -> None:
        self._stopping.wait(seconds)

    # -- processes ------------------------------------------------------------------------------------------------

    def _kill(self, server: Server, length: float, choice: float) -> None:
        server.kill()
        self._sleep(length / 4)
        server.start()

    def _pause(self, server: Server, length: float, choice: float) -> None:
        server.pause()
        self._sleep(length * 2)
        server.resume()

    def _cut_connections(self, server: Server, length: float, choice: float) -> None:
        """Clients go away while their calls are under way; watchers cut their streams at any time anyway."""
        HTTPClient.cut_rate = 0.3
        self._sleep(length)
        HTTPClient.cut_rate = 0.0

    # -- clocks ---------------------------------------------------------------------------------------------------

    def _clock_step(self, server: Server, length: float, choice: float) -> None:
        """The clock of one server jumps, and jumps back."""
        self._skew(server, length, choice)

    def _clock_skew(self, server: Server, length: float, choice: float) -> None:
        """The clock of one server is off for longer, so that leases and times to live end meanwhile."""
        self._skew(server, length * 3, choice)

    def _skew(self, server: Server, length: float, choice: float) -> None:
        assert server.control
        server.control.set_clock(SKEWS[int(choice * len(SKEWS))])
        self._sleep(length)
        server.control.set_clock(0)

    # -- the file -------------------------------------------------------------------------------------------------

    def _disk(self, server: Server, length: float, mode: int) -> None:
        assert server.control
        server.control.set_disk(mode)
        self._sleep(length)
        server.control.set_disk(shim.HEALTHY)

    def _disk_full(self, server: Server, length: float, choice: float) -> None:
        self._disk(server, length, shim.FULL)

    def _write_eio(self, server: Server, length: float, choice: float) -> None:
        self._disk(server, length, shim.WRITE_EIO)

    def _sync_eio(self, server: Server, length: float, choice: float) -> None:
        self._disk(server, length, shim.SYNC_EIO)

    def _power_loss(self, server: Server, length: float, choice: float) -> None:
        """All processes are killed at once, and writes that were never synced are gone."""
        with self._cluster.file_lock:
            for each in self._cluster.servers:
                each.pause()
            for each in self._cluster.servers:
                each.kill()
            undone = shim.lose_unsynced_writes(self._cluster.files, self._cluster.journal)
            if undone:
                self.injected["unsynced_writes_lost"] += undone
            for each in self._cluster.servers:
                each.start()

    def _moved_file(self, server: Server, length: float, choice: float) -> None:
        """The file is moved away under running servers; later it is put back, and they are started again.

        A server that has noticed takes no part until it is started again, as docs/operations.md says.
        """
        database = self._cluster.database
        parts = [database.with_name(database.name + suffix) for suffix in ("", "-wal", "-shm")]
        away = self._cluster.folder / "moved"
        away.mkdir(exist_ok=True)
        recorder = self._setting.recorder
        with self._cluster.file_lock:
            op = recorder.begin("nemesis", "", "all", "away", "", {})
            for part in parts:
                if part.exists():
                    os.rename(part, away / part.name)
            # From here on no acknowledgement may come for a write that begins now.
            op.start = recorder.now()
            self._sleep(min(length, 1.0))
            recorder.end(op, Answer(OK))
            for each in self._cluster.servers:
                each.kill()
            for part in parts:
                part.unlink(missing_ok=True)
                if (away / part.name).exists():
                    os.rename(away / part.name, part)
            for each in self._cluster.servers:
                each.start()
        shutil.rmtree(away)

    # -- the way to DynamoDB --------------------------------------------------------------------------------------

    def _network(self, server: Server, length: float, choice: float, rates: Callable[[float], Rates]) -> None:
        """Half the time the faults are on the way of one server, half the time on that of all."""
        proxies = self._cluster.proxies if choice < 0.5 or not server.proxy else [server.proxy]
        for proxy in proxies:
            proxy.rates = rates(choice)
        self._sleep(length * 2)
        for proxy in proxies:
            proxy.rates = self.base_rates()

    def base_rates(self) -> Rates:
        """What always happens on a table while faults are on: some writes take their time to be seen."""
        return Rates(slow_commit=0.3, lag=0.3) if "slow_commits" in self._weights else Rates()

    def _slow_commits(self, server: Server, length: float, choice: float) -> None:
        self._network(server, length * 2, 0.0, lambda _: Rates(slow_commit=0.5, lag=0.5))

    def _lost_answers(self, server: Server, length: float, choice: float) -> None:
        self._network(server, length, choice, lambda _: Rates(lost_answer=0.4, slow_commit=0.1))

    def _delays(self, server: Server, length: float, choice: float) -> None:
        self._network(server, length, choice, lambda _: Rates(delay=0.3, slow_commit=0.2))

    def _duplicates(self, server: Server, length: float, choice: float) -> None:
        self._network(server, length, choice, lambda _: Rates(duplicate=0.5, slow_commit=0.1))

    def _throttling(self, server: Server, length: float, choice: float) -> None:
        self._network(server, length, choice, lambda _: Rates(throttle=0.6))

    def _server_errors(self, server: Server, length: float, choice: float) -> None:
        self._network(server, length, choice, lambda _: Rates(server_error=0.5))

    def _clean_up_fails(self, server: Server, length: float, choice: float) -> None:
        """Transactions work, and deletions of single items do not: what is done after a commit is interrupted.

        It lasts longer than discfg tries again after it was throttled, which takes seconds.
        """
        failing = frozenset({"DeleteItem", "BatchWriteItem"})
        rates = Rates(server_error=0.97, failing=failing) if choice < 0.25 else Rates(throttle=0.97, failing=failing)
        self._network(server, length + 2, 0.0, lambda _: rates)

    def _cuts(self, server: Server, length: float, choice: float) -> None:
        self._network(server, length, choice, lambda _: Rates(cut=0.5))


def wait_until(condition: Callable[[], bool], seconds: float, pause: float = 0.1) -> bool:
    """Whether a condition holds within some time.

    Each attempt counts for two seconds at most: on a busy machine it may take much longer, which is no fault of the server.
    """
    left = seconds
    while left > 0:
        began = time.monotonic()
        if condition():
            return True
        time.sleep(pause)
        left -= min(time.monotonic() - began, 2.0)
    return condition()
