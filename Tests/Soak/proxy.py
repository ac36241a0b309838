"""A proxy between one process of discfg and DynamoDB's stand-in, which loses, delays, repeats and refuses.

It never makes up anything that AWS does not document. Answers that it changes lose their checksum, which is optional.
"""
from __future__ import annotations

import collections
import http.client
import http.server
import json
import random
import socket
import socketserver
import threading
import time
from dataclasses import dataclass
from typing import Any

from isolation import Isolation, Pace, Refused

_JSON = "application/x-amz-json-1.0"
#: How likely eventual reads miss a slow commit, and for how many seconds at most. `make mutants` raises both.
LAG = (0.25, 0.5)


@dataclass
class Rates:
    """How likely each fault is, for one request."""

    #: The request arrives, its answer is lost.
    lost_answer: float = 0.0
    #: The connection is cut before the request arrives.
    cut: float = 0.0
    #: The request arrives twice; the answer to the second is given.
    duplicate: float = 0.0
    #: Request or answer comes late.
    delay: float = 0.0
    #: Refused with ProvisionedThroughputExceededException or ThrottlingException.
    throttle: float = 0.0
    #: Answered with InternalServerError, before or after it was carried out.
    server_error: float = 0.0
    #: A transaction becomes visible item by item.
    slow_commit: float = 0.0
    #: Reads with eventual consistency miss the write of a single item for a moment.
    lag: float = 0.0
    #: The operations that are throttled or answer with errors; all if it is empty.
    failing: frozenset[str] = frozenset()


class Dropped(Exception):
    """The client gets no answer."""


class Proxy:
    """Listens on a port of its own, and passes on what it does not break."""

    def __init__(self, backend: int, isolation: Isolation, seed: str) -> None:
        self.rates = Rates()
        self.injected: collections.Counter[str] = collections.Counter()
        self._backend = backend
        self._isolation = isolation
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._local = threading.local()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True, name="proxy").start()

    def stop(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()

    def heal(self) -> None:
        """Ends all faults."""
        self.rates = Rates()

    def _hits(self, fault: str) -> bool:
        with self._lock:
            hit = self._random.random() < getattr(self.rates, fault)
            if hit:
                self.injected[fault] += 1
        return hit

    def _uniform(self, low: float, high: float) -> float:
        with self._lock:
            return self._random.uniform(low, high)

    # -- one request ----------------------------------------------------------------------------------------------

    def answer(self, operation: str, body: dict[str, Any], path: str, headers: dict[str, str]) -> tuple[int, Any]:
        """Carries out a request with the faults that hit it; throws `Dropped` if there is no answer."""
        def forward(name: str, content: dict[str, Any]) -> tuple[int, dict[str, Any]]:
            return self._forward(name, content, path, headers)

        if self._hits("cut"):
            raise Dropped
        concerned = not self.rates.failing or operation in self.rates.failing
        if concerned and self._hits("throttle"):
            code = "ThrottlingException" if self._uniform(0, 1) < 0.3 else "ProvisionedThroughputExceededException"
            return 400, _error(Refused(code, "Rate exceeded (of a fault)"))
        fails = concerned and self._hits("server_error")
        if fails and self._uniform(0, 1) < 0.5:
            return 500, _error(Refused("InternalServerError", "Internal server error (of a fault)"))
        late = self._hits("delay")
        if late and self._uniform(0, 1) < 0.5:
            time.sleep(self._uniform(0.05, 1.5))
            late = False
        try:
            result = self._carry_out(operation, body, forward)
            if self._hits("duplicate"):
                result = self._carry_out(operation, body, forward)
        except Refused as refused:
            result = 400, _error(refused)
        if late:
            time.sleep(self._uniform(0.05, 1.5))
        if self._hits("lost_answer"):
            raise Dropped
        if fails:
            return 500, _error(Refused("InternalServerError", "Internal server error (of a fault)"))
        return result

    def _carry_out(self, operation: str, body: dict[str, Any], forward: Any) -> tuple[int, dict[str, Any]]:
        isolation = self._isolation
        match operation:
            case "TransactWriteItems":
                return isolation.transact(body, forward, self._pace(body) if self._hits("slow_commit") else None)
            case "PutItem" | "UpdateItem" | "DeleteItem":
                return isolation.write(body, operation, forward, self._uniform(0, 2) if self._hits("lag") else 0.0)
            case "GetItem":
                return isolation.get(body, forward)
            case "BatchGetItem":
                return isolation.batch_get(body, forward)
            case "TransactGetItems":
                return isolation.transact_get(body, forward)
            case "Query":
                return isolation.query(body, forward)
        return forward(operation, body)

    def _pace(self, body: dict[str, Any]) -> Pace:
        # Most of them within the time for which a writer tries again after a TransactionConflict; others so long that
        # another process can finish a write of its own meanwhile.
        span = self._uniform(0.02, 0.16) if self._uniform(0, 1) < 0.65 else self._uniform(0.2, 0.7)
        # The entries of the log stand first in the transaction; half the time they are also shown first. Then some wait
        # until another process that knows the entry writes what is not shown yet.
        first = 0.0 if self._uniform(0, 1) < 0.5 else self._uniform(0, span)
        return Pace([first] + [self._uniform(0, span) for _ in body["TransactItems"][1:]],
                    hold=self._uniform(0.2, 1.5) if not first and self._uniform(0, 1) < 0.3 else 0.0,
                    lag=self._uniform(0, LAG[1]) if self._uniform(0, 1) < LAG[0] else 0.0)

    def _forward(self, operation: str, body: dict[str, Any], path: str,
                 headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Asks the stand-in, on a connection that the thread keeps."""
        sent = dict(headers, **{"X-Amz-Target": f"DynamoDB_20120810.{operation}"})
        for attempt in range(2):
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", self._backend, timeout=30)
                self._local.connection = connection
            try:
                connection.request("POST", path, json.dumps(body).encode(), sent)
                response = connection.getresponse()
                return response.status, json.loads(response.read() or b"{}")
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # A kept connection was closed by the stand-in while it was idle.
                connection.close()
                self._local.connection = None
                if attempt:
                    raise Dropped from None
            except (OSError, http.client.HTTPException, ValueError):
                connection.close()
                self._local.connection = None
                raise Dropped from None
        raise Dropped

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Reads requests of one connection."""

            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *arguments: Any) -> None:
                """Writes no log."""

            def do_POST(self) -> None:
                """Answers one request of DynamoDB's API."""
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
                operation = (self.headers.get("X-Amz-Target") or "").rpartition(".")[2]
                skipped = ("host", "content-length", "connection", "x-amz-target", "accept-encoding")
                headers = {name: value for name, value in self.headers.items() if name.lower() not in skipped}
                try:
                    status, answer = proxy.answer(operation, body, self.path, headers)
                except Dropped:
                    self.close_connection = True
                    try:
                        self.connection.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass  # the client has gone
                    return
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", _JSON)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                try:
                    self.wfile.write(content)
                except OSError:
                    self.close_connection = True

        return Handler


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle of a request is no error."""


def _error(refused: Refused) -> dict[str, Any]:
    return {"__type": f"com.amazonaws.dynamodb.v20120810#{refused.code}", "message": refused.message,
            "Message": refused.message, **refused.more}
