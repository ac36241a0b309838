"""What the clients do: one thread each, with a schedule of its own that a seed repeats."""
from __future__ import annotations

import json
import random
import threading
import time
from typing import Any, Callable

from clients import Client, RESTClient, V2Client, attempt
from clients_cli import CLIClient
from clients_v3 import GRPCClient, V3Client
from cluster import Cluster, Server
from history import OK, Answer, Op, Recorder

KEYS = [f"/k/{number}" for number in range(5)]
#: Besides those, all clients move together through more keys, which servers do not have in memory yet.
MOVING, STEPS_ON_ONE = 80, 6
PAIR = ["/pair/a", "/pair/b"]
LOCKS = ["/lock/a", "/lock/b"]
#: The config that is deleted and created again.
REBORN = "reborn"


class Setting:
    """What all clients share."""

    def __init__(self, cluster: Cluster, recorder: Recorder, seed: str, without: frozenset[str] = frozenset()) -> None:
        self.cluster, self.recorder, self.seed = cluster, recorder, seed
        #: Clients and calls that are left out, by name.
        self.without = without
        self.stopping = threading.Event()
        self.rest, self.v2, self.v3 = RESTClient(), V2Client(), V3Client()
        self.clients: list[Client] = [self.rest, self.v2, self.v3, CLIClient(cluster)]
        self.grpc: GRPCClient | None = None
        try:
            self.grpc = GRPCClient()
            self.clients.append(self.grpc)
        except ImportError:
            pass  # main says so: the run goes on without gRPC
        #: Up to which revision the log of `default` was copied, so that more can be compacted.
        self.collected = 0

    @property
    def is_eventual(self) -> bool:
        """Whether plain reads are eventually consistent."""
        return self.cluster.engine == "dynamodb"


class Worker(threading.Thread):
    """One client: carries out steps until the run ends."""

    #: The longest pause between two steps, in seconds.
    pause = 0.03

    def __init__(self, setting: Setting, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.setting = setting
        self.random = random.Random(f"{setting.seed}/{name}")
        self.number = 0
        self._steps = 0
        self.error: BaseException | None = None

    def run(self) -> None:
        """Carries out steps; an error in the harness itself ends the worker, and the run reports it."""
        try:
            while not self.setting.stopping.is_set():
                # Each step has a generator of its own, so that what a call was answered does not change later steps.
                self.random = random.Random(f"{self.setting.seed}/{self.name}/{self._steps}")
                self._steps += 1
                self.step()
                time.sleep(self.random.uniform(0, self.pause))
        except BaseException as error:  # noqa: BLE001  reported by the run
            self.error = error

    def step(self) -> None:
        """One step."""
        raise NotImplementedError

    def server(self) -> Server:
        """One of the servers."""
        return self.random.choice(self.setting.cluster.servers)

    def unique(self) -> str:
        """A value that nobody else writes."""
        self.number += 1
        return f"{self.name}-{self.number}"

    def call(self, api: str, server: Server, kind: str, config: str, args: dict[str, Any],
             body: Callable[[], Answer]) -> Op:
        """Carries out a call, and records it."""
        process = server.process if api != "cli" else f"cli#{self.name}-{self.number}"
        recorder = self.setting.recorder
        op = recorder.begin(self.name, api, process, kind, config, args)
        answer = attempt(body)
        # If the server was started again meanwhile, it is open which of its lives has answered.
        if api != "cli" and server.process != process:
            op.process = "?"
        recorder.end(op, answer)
        if answer.code == "refused":
            time.sleep(0.1)
        return op


class KVWorker(Worker):
    """Reads and writes a few keys, through all APIs."""

    def __init__(self, setting: Setting, name: str) -> None:
        super().__init__(setting, name)
        self._seen: dict[str, int] = {}

    def step(self) -> None:
        choice = self.random.random()
        kind = next(kind for bound, kind in (
            (0.24, "get"), (0.34, "list"), (0.54, "put"), (0.68, "cas"), (0.80, "delete"), (0.92, "txn"),
            (0.96, "ttl"), (1.01, "rev")) if choice < bound)
        weights = {"cli": 0.25}
        clients = [client for client in self.setting.clients if kind in client.calls]
        client = self.random.choices(clients, [weights.get(client.api, 1.0) for client in clients])[0]
        server, key, value = self.server(), self.random.choice(KEYS), self.unique()
        if self.random.random() < 0.5:
            key = f"/k/m{self.number // STEPS_ON_ONE % MOVING}"
        chance = self.random.random()
        getattr(self, "_do_" + kind)(client, server, key, value, chance)

    def _reading(self, client: Client, chance: float) -> tuple[str, dict[str, Any]]:
        """How a read is promised: linearizable, or as the process itself knows it."""
        if not self.setting.is_eventual or client.api not in ("rest", "cli"):
            return "lin", {}
        return ("lin", {"consistent": True}) if chance < 0.5 else ("own", {})

    def _do_get(self, client: Client, server: Server, key: str, value: str, chance: float) -> None:
        mode, more = self._reading(client, chance)
        op = self.call(client.api, server, "get", "default", {"key": key, "mode": mode},
                       lambda: client.get(server, "default", key, **more))
        if op.ok:
            self._seen[key] = op.result["item"][1] if op.result["item"] else 0

    def _do_list(self, client: Client, server: Server, key: str, value: str, chance: float) -> None:
        mode, more = self._reading(client, chance)
        if client.api == "cli" and self.setting.is_eventual:
            mode, more = "own", {}  # ls has no --consistent
        prefix = "/k/" if self.random.random() < 0.6 else "/pair/"
        self.call(client.api, server, "list", "default", {"prefix": prefix, "mode": mode},
                  lambda: client.list(server, "default", prefix, **more))

    def _do_put(self, client: Client, server: Server, key: str, value: str, chance: float) -> None:
        self.call(client.api, server, "put", "default", {"key": key, "value": value},
                  lambda: client.put(server, "default", key, value))

    def _do_cas(self, client: Client, server: Server, key: str, value: str, chance: float) -> None:
        expect = self._seen.get(key, 0)
        op = self.call(client.api, server, "cas", "default", {"key": key, "value": value, "expect": expect},
                       lambda: client.cas(server, "default", key, value, expect))
        if op.ok and op.result.get("applied") and op.revision:
            self._seen[key] = op.revision
        elif op.ok and op.result.get("current"):
            self._seen[key] = op.result["current"][1]

    def _do_delete(self, client: Client, server: Server, key: str, value: str, chance: float) -> None:
        message = value if client.api in ("rest", "cli") else None
        self.call(client.api, server, "delete", "default", {"key": key, "message": message},
                  lambda: client.delete(server, "default", key, message=message))

    def _do_txn(self, client: Client, server: Server, key: str, value: str, chance: float) -> None:
        sets = dict.fromkeys(PAIR, value)
        expect = {PAIR[0]: self._seen.get(PAIR[0], 0)} if chance < 0.5 else {}
        op = self.call(client.api, server, "txn", "default", {"sets": sets, "expect": expect},
                       lambda: client.txn(server, "default", sets, expect))
        if op.ok and op.result["applied"] and op.revision:
            self._seen[PAIR[0]] = op.revision
        elif op.ok:
            read = self.call("v3json", server, "get", "default", {"key": PAIR[0], "mode": "lin"},
                             lambda: self.setting.v3.get(server, "default", PAIR[0]))
            if read.ok:
                self._seen[PAIR[0]] = read.result["item"][1] if read.result["item"] else 0

    def _do_ttl(self, client: Client, server: Server, key: str, value: str, chance: float) -> None:
        key = f"/ttl/{value}"
        self.call(client.api, server, "put", "default", {"key": key, "value": value, "ttl": 2},
                  lambda: client.put(server, "default", key, value, ttl="2s"))

    def _do_rev(self, client: Client, server: Server, key: str, value: str, chance: float) -> None:
        revision = int(self.setting.collected * (0.5 + chance / 2))
        if revision > 1:
            self.call(client.api, server, "get", "default", {"key": key, "mode": "rev", "rev": revision},
                      lambda: client.get(server, "default", key, rev=revision))


class AdminWorker(Worker):
    """Rolls back, imports, compacts, and asks for history and differences."""

    pause = 0.6

    def step(self) -> None:
        rest, server, value = self.setting.rest, self.server(), self.unique()
        known = self.setting.collected
        kind = self.random.choices(("rollback", "import", "compact", "diff", "history"), (3, 3, 1, 2, 2))[0]
        back = self.random.randrange(1, 30)
        everything = self.random.random() < 0.3
        if known < 40 or kind in self.setting.without:
            return
        if kind == "rollback":
            prefix = None if everything else "/k"
            body = {"to": known - back, "message": value} | ({"prefix": prefix} if prefix else {})
            self.call("rest", server, kind, "default", {"to": known - back, "prefix": prefix, "message": value},
                      lambda: _trim(rest.call(server, "POST", "default", "rollback", body)))
        elif kind == "import":
            keys = {f"i{number}": f"{value}.{number}" for number in range(3)}
            self.call("rest", server, kind, "default",
                      {"prefix": "/imp", "keys": keys, "message": value},
                      lambda: rest.call(server, "PUT", "default", "import", json.dumps(keys), prefix="/imp",
                                        message=value, **{"as": "json"}))
        elif kind == "compact":
            to = known - 200
            if to > 1:
                self.call("rest", server, kind, "default", {"to": to},
                          lambda: rest.call(server, "POST", "default", "compact", {"to": to}))
        elif kind == "diff":
            low = known - back
            self.call("rest", server, kind, "default", {"from": low, "to": known},
                      lambda: rest.call(server, "GET", "default", "diff", exact="true", **{"from": low, "to": known}))
        else:
            key = self.random.choice(KEYS)
            self.call("rest", server, kind, "default", {"key": key},
                      lambda: rest.call(server, "GET", "default", "history" + key, limit=20, exact="true"))


def _trim(answer: Answer) -> Answer:
    """Of a rollback's answer only the keys are kept."""
    if answer.outcome == OK:
        answer.result = {"keys": [change["key"] for change in answer.result["body"]["changes"]]}
    return answer
