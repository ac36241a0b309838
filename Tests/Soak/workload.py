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
#: Seconds that leases of locks live without a renewal.
LOCK_TTL = 10


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
        self.error: BaseException | None = None

    def run(self) -> None:
        """Carries out steps; an error in the harness itself ends the worker, and the run reports it."""
        try:
            while not self.setting.stopping.is_set():
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
        # A server that was started again while the call was under way: the answer is that of one of its lives, which one is open.
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


class ClashWorker(Worker):
    """Lets two servers write the same key at nearly the same moment: one that at least one of them does not have in memory."""

    pause = 0.1

    def step(self) -> None:
        servers, value = self.setting.cluster.servers, self.unique()
        first, second = self.random.sample(servers, 2) if len(servers) > 1 else (servers[0], servers[0])
        key = f"/k/c{self.name}{self.number % 150}"
        pause, kind = self.random.uniform(0, 0.4), self.random.choice(("put", "cas", "delete", "lock"))
        clients = [client for client in self.setting.clients if client.api != "cli"]
        one, other = self.random.choice(clients), self.random.choice(clients)
        if kind == "lock":
            self._lock_both(first, second, f"/lock/{value}", pause / 2)
            return
        thread = threading.Thread(target=self._put, args=(one, first, key, value + "a"), daemon=True)
        thread.start()
        self.setting.stopping.wait(pause)
        if kind == "put":
            self._put(other, second, key, value + "b")
        elif kind == "cas":
            self.call(other.api, second, "cas", "default", {"key": key, "value": value + "b", "expect": 0},
                      lambda: other.cas(second, "default", key, value + "b", 0))
        else:
            self.call(other.api, second, "delete", "default", {"key": key},
                      lambda: other.delete(second, "default", key))
        thread.join()
        self.setting.stopping.wait(self.random.uniform(0, 0.3))
        self.call(one.api, first, "delete", "default", {"key": key}, lambda: one.delete(first, "default", key))

    def _put(self, client: Client, server: Server, key: str, value: str) -> None:
        self.call(client.api, server, "put", "default", {"key": key, "value": value},
                  lambda: client.put(server, "default", key, value))


    def _lock_both(self, first: Server, second: Server, name: str, pause: float) -> None:
        """Two clients ask for a free lock; the second must wait, and gives up."""
        v3, leases = self.setting.v3, [self.random.getrandbits(40) + 1 for _ in range(2)]

        def lock(server: Server, lease: int) -> None:
            if self.call("v3json", server, "grant", "default", {"lease": lease, "ttl": LOCK_TTL},
                         lambda: v3.grant(server, lease, LOCK_TTL)).ok:
                self.call("v3json", server, "lock", "default", {"name": name, "lease": lease},
                          lambda: v3.lock(server, name, lease, 1.5))

        threads = [threading.Thread(target=lock, args=pair, daemon=True) for pair in zip((first, second), leases)]
        for thread in threads:
            thread.start()
            self.setting.stopping.wait(pause)
        for thread in threads:
            thread.join()
        for server, lease in zip((first, second), leases):
            self.call("v3json", server, "revoke", "default", {"lease": lease}, lambda: v3.revoke(server, lease))


class LeaseWorker(Worker):
    """Grants leases, puts keys with them, renews some, revokes some, and leaves the others to end."""

    pause = 0.3

    def step(self) -> None:
        v3, server = self.setting.v3, self.server()
        value = self.unique()
        lease = self.random.getrandbits(40) + 1
        ttl = self.random.choice((2, 3, 5))
        if not self.call("v3json", server, "grant", "default", {"lease": lease, "ttl": ttl},
                         lambda: v3.grant(server, lease, ttl)).ok:
            return
        for number in range(self.random.randrange(1, 3)):
            key, text = f"/lease/{lease}/{number}", f"{value}.{number}"
            writers: list[Client] = [client for client in self.setting.clients if "lease" in client.calls]
            writer, target = self.random.choice(writers), self.server()
            self.call(writer.api, target, "put", "default", {"key": key, "value": text, "lease": lease},
                      lambda: writer.put(target, "default", key, text, lease=lease))
        for _ in range(self.random.randrange(0, 3)):
            self.setting.stopping.wait(self.random.uniform(0.2, ttl * 0.5))
            target = self.server()
            self.call("v3json", target, "keepalive", "default", {"lease": lease},
                      lambda: v3.keep_alive(target, lease))
        if self.random.random() < 0.5:
            target = self.server()
            self.call("v3json", target, "revoke", "default", {"lease": lease}, lambda: v3.revoke(target, lease))


class LockWorker(Worker):
    """Takes a lock, holds it for a moment, and gives it back."""

    pause = 0.2

    def step(self) -> None:
        v3, name = self.setting.v3, self.random.choice(LOCKS)
        self.number += 1
        lease = self.random.getrandbits(40) + 1
        server = self.server()
        if not self.call("v3json", server, "grant", "default", {"lease": lease, "ttl": LOCK_TTL},
                         lambda: v3.grant(server, lease, LOCK_TTL)).ok:
            return
        server = self.server()
        locked = self.call("v3json", server, "lock", "default", {"name": name, "lease": lease},
                           lambda: v3.lock(server, name, lease, LOCK_TTL - 2))
        if locked.ok:
            time.sleep(self.random.uniform(0, 0.15))
            if self.random.random() < 0.6:
                server, key = self.server(), locked.result["key"]
                if self.call("v3json", server, "unlock", "default", {"name": name, "key": key},
                             lambda: v3.unlock(server, key)).ok:
                    return
        for _ in range(20):
            server = self.server()
            op = self.call("v3json", server, "revoke", "default", {"lease": lease}, lambda: v3.revoke(server, lease))
            if op.ok or op.code == "gRPC 5":
                return
            time.sleep(0.2)


class RebornWorker(Worker):
    """Creates a config, writes a few keys, deletes it, and looks whether it is gone. The only writer of its config."""

    pause = 0.1

    def __init__(self, setting: Setting, name: str) -> None:
        super().__init__(setting, name)
        self._life = 0

    def _call(self, kind: str, method: str, place: str, body: Any = None, **parameters: Any) -> Op:
        server = self.server()
        return self.call("rest", server, kind, REBORN, {"life": self._life, "place": place},
                         lambda: self.setting.rest.call(server, method, REBORN, place, body, **parameters))

    def step(self) -> None:
        if not self._until("cfg-create", "PUT", accepted=("103",)):
            return
        self._life += 1
        for number in range(self.random.randrange(2, 8)):
            key, value, server = f"/r/{number}", f"L{self._life}-{self.unique()}", self.server()
            self.call("rest", server, "put", REBORN, {"key": key, "value": value, "life": self._life},
                      lambda: self.setting.rest.put(server, REBORN, key, value))
            self._read(key)
        self.setting.stopping.wait(self.random.uniform(0, 0.5))
        deleted = self._call("cfg-delete", "DELETE", "cfg")
        for _ in range(2):
            self._call("cfg-get", "GET", "cfg")
            self._read("/r/0")
        if not deleted.ok:
            self._until("cfg-delete", "DELETE", accepted=("102",))

    def _read(self, key: str) -> None:
        server, consistent = self.server(), self.random.random() < 0.5
        self.call("rest", server, "get", REBORN, {"key": key, "mode": "lin" if consistent else "own", "life": self._life},
                  lambda: self.setting.rest.get(server, REBORN, key, consistent=consistent))

    def _until(self, kind: str, method: str, accepted: tuple[str, ...]) -> bool:
        """Sends a request until it is answered with success, or with a code that says that it was carried out before."""
        while not self.setting.stopping.is_set():
            op = self._call(kind, method, "cfg")
            if op.ok or op.code in accepted:
                return True
            time.sleep(0.2)
        return False


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
                      lambda: rest.call(server, "GET", "default", "diff", **{"from": low, "to": known, "exact": "true"}))
        else:
            key = self.random.choice(KEYS)
            self.call("rest", server, kind, "default", {"key": key},
                      lambda: rest.call(server, "GET", "default", "history" + key, limit=20, exact="true"))


def _trim(answer: Answer) -> Answer:
    """Of a rollback's answer only the keys are kept."""
    if answer.outcome == OK:
        answer.result = {"keys": [change["key"] for change in answer.result["body"]["changes"]]}
    return answer


def workers(setting: Setting, clients: int) -> list[Worker]:
    """The clients of a run."""
    made: list[Worker] = [KVWorker(setting, f"kv{number}") for number in range(clients)]
    made += [ClashWorker(setting, f"clash{number}") for number in range(2)]
    made += [LockWorker(setting, f"lock{number}") for number in range(3)]
    made += [LeaseWorker(setting, f"lease{number}") for number in range(2)]
    made += [AdminWorker(setting, "admin"), RebornWorker(setting, "reborn")]
    return [worker for worker in made if worker.name.rstrip("0123456789") not in setting.without]
