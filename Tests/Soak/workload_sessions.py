"""Clients with sessions: clashing writes, leases, locks, and a config that is deleted and created again."""
from __future__ import annotations

import threading
import time
from typing import Any

from clients import Client
from cluster import Server
from history import Op
from workload import LOCKS, REBORN, AdminWorker, KVWorker, Setting, Worker

#: Seconds that leases of locks live without a renewal.
LOCK_TTL = 10


class ClashWorker(Worker):
    """Lets two servers write a key at nearly the same moment, which at least one of them does not have in memory."""

    pause = 0.1

    def step(self) -> None:
        servers, value = self.setting.cluster.servers, self.unique()
        first, second = self.random.sample(servers, 2) if len(servers) > 1 else (servers[0], servers[0])
        if first.name == "s2" and self.random.random() < 0.6:
            first, second = second, first  # the second server soon knows of others' commits
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
        if self.random.random() < 0.5:
            # So the second server learns that the first has committed, but need not have seen the item.
            self._put(other, second, f"/k/n{self.name}", value + "n")
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
            self.call("v3json", server, "lock", "default", {"name": name, "lease": lease},
                      lambda: v3.lock(server, name, lease, 1.5))

        for server, lease in zip((first, second), leases):
            if not self.call("v3json", server, "grant", "default", {"lease": lease, "ttl": LOCK_TTL},
                             lambda: v3.grant(server, lease, LOCK_TTL)).ok:
                return
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
        #: The log of this life, if it is known.
        self._log: str | None = None

    def _call(self, kind: str, method: str, place: str, body: Any = None, **parameters: Any) -> Op:
        server = self.server()
        return self.call("rest", server, kind, REBORN, {"life": self._life, "place": place},
                         lambda: self.setting.rest.call(server, method, REBORN, place, body, **parameters))

    def step(self) -> None:
        if not self._until("cfg-create", "PUT", accepted=("103",)):
            return
        self._life += 1
        if self._log:
            # The revisions of this life are far beyond the last one, so only the name of the log tells them apart.
            found = self._call("cfg-get", "GET", "cfg")
            if found.ok:
                self._call("follow-ended", "GET", "changes", after=found.revision, log=self._log, limit=20)
        # Before anything is written: what is found now was left by an earlier life.
        for _ in range(3):
            self._read(self._any_key())
        for number in range(self.random.randrange(2, 8)):
            key, value, server = f"/r/{number}", f"L{self._life}-{self.unique()}", self.server()
            self.call("rest", server, "put", REBORN, {"key": key, "value": value, "life": self._life},
                      lambda: self.setting.rest.put(server, REBORN, key, value))
            self._read(key)
        found = self._call("cfg-log", "GET", "changes", after=0, limit=1)
        self._log = found.result["body"]["cfgLog"] if found.ok else None
        self.setting.stopping.wait(self.random.uniform(0, 0.5))
        deleted = self._call("cfg-delete", "DELETE", "cfg")
        # Sometimes it is created again at once, when what has removed it may not be visible everywhere.
        for _ in range(self.random.choice((0, 0, 3)) if deleted.ok else 3):
            self._call("cfg-get", "GET", "cfg")
            self._read(self._any_key())
        if not deleted.ok:
            self._until("cfg-delete", "DELETE", accepted=("102",))

    def _any_key(self) -> str:
        return f"/r/{self.random.randrange(0, 8)}"

    def _read(self, key: str) -> None:
        server, consistent = self.server(), self.random.random() < 0.5
        args = {"key": key, "mode": "lin" if consistent else "own", "life": self._life}
        self.call("rest", server, "get", REBORN, args,
                  lambda: self.setting.rest.get(server, REBORN, key, consistent=consistent))

    def _until(self, kind: str, method: str, accepted: tuple[str, ...]) -> bool:
        """Sends a request until it is answered with success, or with a code that says that there is nothing to do."""
        while not self.setting.stopping.is_set():
            op = self._call(kind, method, "cfg")
            if op.ok or op.code in accepted:
                return True
            time.sleep(0.2)
        return False


def workers(setting: Setting, clients: int) -> list[Worker]:
    """The clients of a run."""
    made: list[Worker] = [KVWorker(setting, f"kv{number}") for number in range(clients)]
    made += [ClashWorker(setting, f"clash{number}") for number in range(2)]
    made += [LockWorker(setting, f"lock{number}") for number in range(3)]
    made += [LeaseWorker(setting, f"lease{number}") for number in range(2)]
    made += [AdminWorker(setting, "admin"), RebornWorker(setting, "reborn")]
    return [worker for worker in made if worker.name.rstrip("0123456789") not in setting.without]
