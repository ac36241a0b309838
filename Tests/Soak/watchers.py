"""Clients that watch: event streams, long polls, etcd v3 over JSON and gRPC, v2's wait.

Each goes on where it was after every fault.
"""
from __future__ import annotations

import base64
import http.client
import json
import threading
import time
import urllib.parse
from typing import Any, Iterator

from clients import attempt
from clients_v3 import decode, encode, end_of
from cluster import Server
from history import FAIL, OK, Answer
from workload import REBORN, Setting, Worker

#: A delivery as histories hold it: revision, and for each change key, kind and value.
Commit = tuple[int, list[list[Any]]]
#: The answers that say that the revision is gone, so that the state must be read again.
_GONE = ("106", "108")


class Gone(Exception):
    """The watch cannot go on from its revision: the client reads the state, and begins there."""


class Watcher(Worker):
    """Lists, and watches from the revision of the list: what an informer does.

    `state` is what a program would hold: the list with the changes applied.
    """

    kind = ""
    pause = 0.2

    def __init__(self, setting: Setting, name: str, prefix: str) -> None:
        super().__init__(setting, name)
        self.prefix = prefix
        self.revision = 0
        #: Counts the lists: deliveries of one generation follow each other.
        self.generation = 0
        self.is_slow = False

    def step(self) -> None:
        server = self.server()
        if not self.revision and not self._list(server):
            time.sleep(0.2)
            return
        try:
            for commits, upto in self.deliveries(server):
                self._deliver(server, commits, upto)
                if self.setting.stopping.is_set():
                    return
                if self.is_slow:
                    time.sleep(self.random.uniform(0, 0.4))
                if self.random.random() < 0.02:
                    return  # cuts the connection, and goes on elsewhere
        except Gone:
            self.revision = 0
        except (OSError, http.client.HTTPException, ValueError):
            pass

    def deliveries(self, server: Server) -> Iterator[tuple[list[Commit], int]]:
        """What comes after `self.revision`, and up to which revision everything is known then."""
        raise NotImplementedError

    def _list(self, server: Server) -> bool:
        self.generation += 1
        args = {"prefix": self.prefix, "mode": "lin", "watch": self.name, "generation": self.generation}
        op = self.call(self.kind, server, "list", "default", args, lambda: self.list(server))
        if op.ok and op.revision:
            self.revision = op.revision
        return op.ok

    def list(self, server: Server) -> Answer:
        """Reads what the watch begins with."""
        return self.setting.v3.list(server, "default", self.prefix)

    def _deliver(self, server: Server, commits: list[Commit], upto: int) -> None:
        args = {"watch": self.name, "prefix": self.prefix, "after": self.revision, "generation": self.generation}
        answer = Answer(OK, upto, {"commits": commits})
        self.call(self.kind, server, "watch", "default", args, lambda: answer)
        self.revision = max(self.revision, upto)

    def _look_ahead(self) -> None:
        """Now and then the watch begins at a revision that does not exist yet: what is older must not be told."""
        if self.random.random() < 0.1:
            self.generation += 1
            self.revision += self.random.randrange(1, 10)

    def _open_stream(self, server: Server, method: str, path: str, body: str | None, headers: dict[str, str],
                     timeout: float) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
        connection.request(method, path, body, headers)
        return connection.getresponse()


class StreamWatcher(Watcher):
    """Server-sent events of REST."""

    kind = "sse"

    def __init__(self, setting: Setting, name: str, prefix: str) -> None:
        super().__init__(setting, name, prefix)
        self._event_id = ""

    def list(self, server: Server) -> Answer:
        self._event_id = ""
        return self.setting.rest.list(server, "default", self.prefix, consistent=True)

    def deliveries(self, server: Server) -> Iterator[tuple[list[Commit], int]]:
        path = f"/v1/default/changes?exact=true&prefix={self.prefix}"
        headers = {"Accept": "text/event-stream", "Last-Event-ID": self._event_id or str(self.revision)}
        with self._open_stream(server, "GET", path, None, headers, 20) as response:
            if response.status != 200:
                code = str(json.loads(response.read() or b"{}").get("errorCode"))
                if code in _GONE:
                    raise Gone
                raise ValueError(code)
            identity = ""
            while line := response.readline():
                name, _, text = line.decode().rstrip("\r\n").partition(": ")
                if name == "id":
                    identity = text
                elif name == "data":
                    commit = json.loads(text)
                    if "changes" not in commit:
                        raise ValueError("an event without changes")
                    self._event_id = identity
                    yield [_rest_commit(commit)], commit["revision"]
                elif name == "event" and text not in ("commit",):
                    raise Gone


class PollWatcher(Watcher):
    """Long polls of REST."""

    kind = "poll"
    pause = 0.02

    def list(self, server: Server) -> Answer:
        return self.setting.rest.list(server, "default", self.prefix, consistent=True)

    def deliveries(self, server: Server) -> Iterator[tuple[list[Commit], int]]:
        answer = attempt(lambda: self.setting.rest.call(
            server, "GET", "default", "changes", after=self.revision, wait="3s", prefix=self.prefix, exact="true",
            limit=50))
        if answer.outcome != OK:
            if answer.code in _GONE:
                raise Gone
            raise ValueError(answer.code)
        body = answer.result["body"]
        yield [_rest_commit(commit) for commit in body["commits"]], body["scanned"]


def _rest_commit(commit: dict[str, Any]) -> Commit:
    changes = []
    for change in commit["changes"]:
        value = change.get("value")
        if value is not None and change.get("encoding") == "base64":
            value = base64.b64decode(value).decode("utf-8", "replace")
        changes.append([change["key"], "set" if change["kind"] == "set" else "delete", value])
    return commit["revision"], changes


class GatewayWatcher(Watcher):
    """etcd v3 as JSON."""

    kind = "v3json"

    def deliveries(self, server: Server) -> Iterator[tuple[list[Commit], int]]:
        self._look_ahead()
        create = {"key": encode(self.prefix), "range_end": encode(end_of(self.prefix)),
                  "start_revision": str(self.revision + 1)}
        body = json.dumps({"create_request": create})
        with self._open_stream(server, "POST", "/v3/watch", body, {"Content-Type": "application/json"}, 20) as response:
            while line := response.readline():
                if not line.strip():
                    continue
                message = json.loads(line)
                if "error" in message:
                    raise ValueError(message["error"])
                result = message.get("result") or {}
                if result.get("compact_revision"):
                    raise Gone
                if result.get("canceled"):
                    raise ValueError("canceled")
                events = [(int(event["kv"]["mod_revision"]), decode(event["kv"]["key"]),
                           "delete" if event.get("type") == "DELETE" else "set", decode(event["kv"].get("value")))
                          for event in result.get("events") or []]
                if events:
                    yield _by_revision(events), events[-1][0]


class GRPCWatcher(Watcher):
    """etcd v3 over gRPC."""

    kind = "grpc"

    def list(self, server: Server) -> Answer:
        assert self.setting.grpc
        return self.setting.grpc.list(server, "default", self.prefix)

    def deliveries(self, server: Server) -> Iterator[tuple[list[Commit], int]]:
        client = self.setting.grpc
        assert client
        rpc = client.rpc
        self._look_ahead()
        request = rpc.WatchRequest(create_request=rpc.WatchCreateRequest(
            key=self.prefix.encode(), range_end=end_of(self.prefix).encode(), start_revision=self.revision + 1))
        done = threading.Event()

        def requests() -> Iterator[Any]:
            yield request
            while not done.wait(0.3):
                yield rpc.WatchRequest(progress_request=rpc.WatchProgressRequest())

        call = rpc.WatchStub(client.channel(server)).Watch(requests(), timeout=20)
        try:
            for response in call:
                if response.compact_revision:
                    raise Gone
                if response.canceled:
                    raise ValueError("canceled")
                events = [(event.kv.mod_revision, event.kv.key.decode(), "delete" if event.type == 1 else "set",
                           event.kv.value.decode("utf-8", "replace")) for event in response.events]
                if events:
                    yield _by_revision(events), events[-1][0]
                elif response.watch_id == -1:
                    # Progress: everything up to this revision was told.
                    yield [], response.header.revision
        except client.grpc.RpcError as error:
            raise ValueError(str(error.code())) from None
        finally:
            done.set()
            call.cancel()


def _by_revision(events: list[tuple[int, str, str, str]]) -> list[Commit]:
    commits: list[Commit] = []
    for revision, key, kind, value in events:
        if not commits or commits[-1][0] != revision:
            commits.append((revision, []))
        commits[-1][1].append([key, kind, value if kind == "set" else None])
    return commits


class WaitWatcher(Watcher):
    """etcd v2's `wait`: the first change of one key at or after an index."""

    kind = "v2"
    pause = 0.02

    def list(self, server: Server) -> Answer:
        return self.setting.v2.list(server, "default", self.prefix)

    def deliveries(self, server: Server) -> Iterator[tuple[list[Commit], int]]:
        query = urllib.parse.urlencode({"wait": "true", "waitIndex": self.revision + 1})
        status, _, body = self.setting.v2.request(server, "GET", f"/v2/keys{self.prefix}?{query}", timeout=3)
        if status == 200 and "node" in body:
            node = body["node"]
            kind = "delete" if body["action"] in ("delete", "expire", "compareAndDelete") else "set"
            change = [node["key"], kind, node.get("value") if kind == "set" else None]
            yield [(node["modifiedIndex"], [change])], node["modifiedIndex"]
        elif isinstance(body, dict) and body.get("errorCode") == 401:
            raise Gone


class Follower(Worker):
    """Follows the config that is deleted and created again, with pauses, as a program does that polls."""

    pause = 1.0

    def __init__(self, setting: Setting, name: str) -> None:
        super().__init__(setting, name)
        self._after: int | None = None
        self._log: str | None = None
        #: One names the log that it follows, as docs/rest.md asks for; the other has only the revisions.
        self._names_log = name.endswith("0")

    def step(self) -> None:
        server = self.server()
        args = {"after": self._after, "log": self._log}
        op = self.call("rest", server, "follow", REBORN, args, lambda: self._read(server))
        if op.ok:
            self._after = op.result["scanned"]
            self._log = op.result["log"] if self._names_log else None
        elif op.outcome == FAIL and op.code != "refused":
            self._after = self._log = None

    def _read(self, server: Server) -> Answer:
        answer = self.setting.rest.call(server, "GET", REBORN, "changes", after=self._after, log=self._log, limit=20,
                                        exact="true")
        if answer.outcome == OK:
            body = answer.result["body"]
            answer.result = {"commits": [_rest_commit(commit) for commit in body["commits"]],
                             "scanned": body["scanned"], "log": body.get("cfgLog")}
        return answer


class Collector(Worker):
    """Copies the log of `default` while the run goes on, so that compaction takes nothing from the checks."""

    pause = 0.3

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, "collector")
        self.commits: dict[int, dict[str, Any]] = {}

    def step(self) -> None:
        self.read(self.server())

    def read(self, server: Server) -> bool:
        """Reads the next page; returns whether there was one without commits, so that the log is at its end."""
        answer = attempt(lambda: self.setting.rest.call(
            server, "GET", "default", "changes", after=self.setting.collected, prev="true", exact="true", limit=500))
        if answer.outcome != OK:
            if answer.code in ("302", "106"):
                args = {"after": self.setting.collected}
                self.call("rest", server, "collect", "default", args, lambda: answer)
            return False
        commits = answer.result["body"]["commits"]
        for commit in commits:
            self.commits[commit["revision"]] = commit
            self.setting.collected = commit["revision"]
        return not commits


def watchers(setting: Setting) -> list[Watcher]:
    """The watches of a run."""
    made: list[Watcher] = [StreamWatcher(setting, "sse-all", "/"), StreamWatcher(setting, "sse-slow", "/k/"),
                           PollWatcher(setting, "poll-all", "/"), PollWatcher(setting, "poll-k", "/k/"),
                           GatewayWatcher(setting, "gateway-k", "/k/"), GatewayWatcher(setting, "gateway-all", "/"),
                           WaitWatcher(setting, "wait-k0", "/k/0")]
    if setting.grpc:
        made += [GRPCWatcher(setting, "grpc-pair", "/pair/"), GRPCWatcher(setting, "grpc-all", "/")]
    made[1].is_slow = True
    return made
