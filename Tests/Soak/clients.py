"""What all clients have in common: the calls, HTTP connections, and what a status says about the outcome."""
from __future__ import annotations

import base64
import http.client
import json
import random
import threading
import urllib.parse
from typing import Any

from cluster import Server
from history import FAIL, OK, UNKNOWN, Answer

#: How long a call may take before its outcome is unknown.
TIMEOUT = 12.0
#: A connection that was refused carried nothing.
REFUSED = "refused"

#: An item as histories hold it: value, revision of its last change, version (`None` if the API does not tell).
Item = list[Any]


class Client:
    """The calls that the workload makes. An API that cannot carry one out does not list it in `calls`."""

    api = ""
    calls: frozenset[str] = frozenset()

    def get(self, server: Server, config: str, key: str, **more: Any) -> Answer:
        """Reads one key: `item`, or nothing."""
        raise NotImplementedError

    def list(self, server: Server, config: str, prefix: str, **more: Any) -> Answer:
        """Reads all keys below a prefix: `items`, by key."""
        raise NotImplementedError

    def put(self, server: Server, config: str, key: str, value: str, **more: Any) -> Answer:
        """Sets a key."""
        raise NotImplementedError

    def cas(self, server: Server, config: str, key: str, value: str, expect: int, **more: Any) -> Answer:
        """Sets a key if its last change is at a revision (0: absent): `applied`."""
        raise NotImplementedError

    def delete(self, server: Server, config: str, key: str, **more: Any) -> Answer:
        """Deletes a key: `deleted`."""
        raise NotImplementedError

    def txn(self, server: Server, config: str, sets: dict[str, str], expect: dict[str, int]) -> Answer:
        """Sets several keys if the last changes of some are at given revisions: `applied`."""
        raise NotImplementedError


class HTTPClient(Client):
    """One kept connection for each thread and server."""

    #: How likely the client goes away once it has sent its request; the fault of cut connections sets it.
    cut_rate = 0.0

    def __init__(self) -> None:
        self._local = threading.local()

    def request(self, server: Server, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None,
                timeout: float = TIMEOUT) -> tuple[int, dict[str, str], Any]:
        """Sends a request.

        Throws `ConnectionRefusedError` if it certainly was not carried out, other errors if it may have been.
        """
        connections = self._local.__dict__.setdefault("connections", {})
        place = (server.name, server.life)
        connection = connections.pop(place, None)
        if connection is None:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
            connection.connect()
        connection.sock.settimeout(timeout)
        content = json.dumps(body) if body is not None and not isinstance(body, (str, bytes)) else body
        try:
            if isinstance(content, str):
                content = content.encode()
            connection.request(method, path, content, headers or {})
            if HTTPClient.cut_rate and random.random() < HTTPClient.cut_rate:
                raise ConnectionAbortedError
            response = connection.getresponse()
            text = response.read()
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            connections[place] = connection
        try:
            parsed = json.loads(text) if text else {}
        except ValueError:
            parsed = {"text": text.decode("utf-8", "replace")}
        return response.status, {name.lower(): value for name, value in response.getheaders()}, parsed


def attempt(call: Any) -> Answer:
    """Makes a call; what breaks the connection leaves the outcome open."""
    try:
        return call()
    except ConnectionRefusedError:
        return Answer(FAIL, code=REFUSED)
    except (OSError, http.client.HTTPException) as error:
        return Answer(UNKNOWN, code=type(error).__name__)


def rest_failure(status: int, body: Any) -> Answer:
    """What an error of REST says. 301 is the only one that leaves the outcome open, with those of unknown cause."""
    code = body.get("errorCode") if isinstance(body, dict) else None
    # 302 and 399 are errors of which no documentation says that nothing was written.
    outcome = UNKNOWN if code in (301, 302, 399, None) else FAIL
    return Answer(outcome, code=str(code or f"HTTP {status}"))


class RESTClient(HTTPClient):
    """discfg's own API."""

    api = "rest"
    calls = frozenset({"get", "list", "put", "cas", "delete", "txn", "ttl", "rev", "rollback", "import", "compact"})

    @staticmethod
    def _path(config: str, place: str, **parameters: Any) -> str:
        given = {name: value for name, value in parameters.items() if value is not None}
        return f"/v1/{config}/{place}" + ("?" + urllib.parse.urlencode(given) if given else "")

    def _write(self, server: Server, method: str, path: str, body: Any,
               headers: dict[str, str] | None = None) -> Answer:
        status, _, answer = self.request(server, method, path, body, headers)
        if status in (200, 201):
            item = answer.get("item") or {}
            result = {"applied": True, "version": item.get("version"), "ttl": item.get("ttl"),
                      "prev": _rest_item(answer.get("prevItem"))}
            return Answer(OK, answer.get("cfgVersion"), {k: v for k, v in result.items() if v is not None})
        if status == 412 and answer.get("errorCode") == 101:
            return Answer(OK, None, {"applied": False, "current": _rest_item(answer.get("item"))})
        return rest_failure(status, answer)

    def get(self, server: Server, config: str, key: str, consistent: bool = False, rev: int | None = None,
            **more: Any) -> Answer:
        path = self._path(config, "keys" + key, exact="true", consistent="true" if consistent else None, rev=rev)
        status, _, answer = self.request(server, "GET", path)
        if status == 200:
            return Answer(OK, answer.get("cfgVersion"), {"item": _rest_item(answer["item"])})
        if status == 404 and answer.get("errorCode") == 100:
            return Answer(OK, None, {"item": None})
        return rest_failure(status, answer)

    def list(self, server: Server, config: str, prefix: str, consistent: bool = False, rev: int | None = None,
             **more: Any) -> Answer:
        path = self._path(config, "keys" + prefix, recursive="true", exact="true", limit=10_000,
                          consistent="true" if consistent else None, rev=rev)
        status, _, answer = self.request(server, "GET", path)
        if status == 200:
            items = {item["key"]: _rest_item(item) for item in answer["items"]}
            return Answer(OK, answer.get("cfgVersion"), {"items": items})
        return rest_failure(status, answer)

    def put(self, server: Server, config: str, key: str, value: str, ttl: str | None = None, message: str | None = None,
            **more: Any) -> Answer:
        return self._write(server, "PUT", self._path(config, "keys" + key, ttl=ttl, message=message), value,
                           {"Content-Type": "text/plain"})

    def cas(self, server: Server, config: str, key: str, value: str, expect: int, message: str | None = None,
            **more: Any) -> Answer:
        path = self._path(config, "keys" + key, prevRevision=expect, message=message)
        return self._write(server, "PUT", path, value, {"Content-Type": "text/plain"})

    def delete(self, server: Server, config: str, key: str, message: str | None = None, **more: Any) -> Answer:
        status, _, answer = self.request(server, "DELETE", self._path(config, "keys" + key, message=message))
        if status == 200:
            return Answer(OK, answer.get("cfgVersion"), {"deleted": True, "prev": _rest_item(answer.get("prevItem"))})
        if status == 404 and answer.get("errorCode") == 100:
            return Answer(OK, None, {"deleted": False})
        return rest_failure(status, answer)

    def txn(self, server: Server, config: str, sets: dict[str, str], expect: dict[str, int]) -> Answer:
        body = {"if": [{"key": key, "revision": revision} for key, revision in expect.items()],
                "then": [{"set": key, "value": value} for key, value in sets.items()]}
        status, _, answer = self.request(server, "POST", self._path(config, "txn"), body)
        if status == 200:
            return Answer(OK, answer.get("cfgVersion"), {"applied": bool(answer.get("succeeded"))})
        return rest_failure(status, answer)

    def call(self, server: Server, method: str, config: str, place: str, body: Any = None, timeout: float = TIMEOUT,
             **parameters: Any) -> Answer:
        """Any other request; `body` of the result is the answer."""
        status, _, answer = self.request(server, method, self._path(config, place, **parameters), body, timeout=timeout)
        if status in (200, 201):
            return Answer(OK, answer.get("cfgVersion"), {"body": answer})
        return rest_failure(status, answer)


def _rest_item(item: dict[str, Any] | None) -> Item | None:
    if not item:
        return None
    value = item.get("value", "")
    if item.get("encoding") == "base64":
        value = base64.b64decode(value).decode("utf-8", "replace")
    return [value, item["revision"], item["version"]]


class V2Client(HTTPClient):
    """etcd's v2 API. Its answers name the index; errors of the store are 500 or 503."""

    api = "v2"
    calls = frozenset({"get", "list", "put", "cas", "delete"})

    @staticmethod
    def _path(config: str, key: str, **parameters: Any) -> str:
        prefix = "" if config == "default" else f"/{config}"
        return f"{prefix}/v2/keys{key}" + ("?" + urllib.parse.urlencode(parameters) if parameters else "")

    def _form(self, server: Server, method: str, path: str,
              form: dict[str, Any] | None = None) -> tuple[int, int | None, Any]:
        headers = {"Content-Type": "application/x-www-form-urlencoded"} if form is not None else {}
        body = urllib.parse.urlencode(form) if form is not None else None
        status, answered, answer = self.request(server, method, path, body, headers)
        index = answered.get("x-etcd-index")
        return status, int(index) if index else answer.get("index") if isinstance(answer, dict) else None, answer

    def _failure(self, status: int, answer: Any) -> Answer:
        code = answer.get("errorCode") if isinstance(answer, dict) else None
        definite = isinstance(code, int) and code < 300 or status in (400, 412, 413)
        return Answer(FAIL if definite else UNKNOWN, code=str(code or f"HTTP {status}"))

    def get(self, server: Server, config: str, key: str, **more: Any) -> Answer:
        status, index, answer = self._form(server, "GET", self._path(config, key))
        if status == 200 and "node" in answer:
            node = answer["node"]
            if node.get("dir"):
                return Answer(FAIL, index, code="a directory")
            return Answer(OK, index, {"item": [node["value"], node["modifiedIndex"], None]})
        if status == 404 and answer.get("errorCode") == 100:
            return Answer(OK, index, {"item": None})
        return self._failure(status, answer)

    def list(self, server: Server, config: str, prefix: str, **more: Any) -> Answer:
        status, index, answer = self._form(server, "GET", self._path(config, prefix.rstrip("/"), recursive="true"))
        if status == 200 and "node" in answer:
            items: dict[str, Item] = {}
            nodes = [answer["node"]]
            while nodes:
                node = nodes.pop()
                nodes += node.get("nodes", [])
                if not node.get("dir"):
                    items[node["key"]] = [node["value"], node["modifiedIndex"], None]
            return Answer(OK, index, {"items": items})
        if status == 404 and answer.get("errorCode") == 100:
            return Answer(OK, index, {"items": {}})
        return self._failure(status, answer)

    def _write(self, status: int, answer: Any) -> Answer:
        if status in (200, 201) and "node" in answer:
            prev = answer.get("prevNode")
            before = [prev.get("value"), prev["modifiedIndex"], None] if prev and not prev.get("dir") else None
            return Answer(OK, answer["node"]["modifiedIndex"], {"applied": True, "deleted": True, "prev": before})
        return self._failure(status, answer)

    def put(self, server: Server, config: str, key: str, value: str, **more: Any) -> Answer:
        status, _, answer = self._form(server, "PUT", self._path(config, key), {"value": value})
        return self._write(status, answer)

    def cas(self, server: Server, config: str, key: str, value: str, expect: int, **more: Any) -> Answer:
        form: dict[str, Any] = {"value": value}
        form |= {"prevIndex": expect} if expect else {"prevExist": "false"}
        status, index, answer = self._form(server, "PUT", self._path(config, key), form)
        if isinstance(answer, dict) and answer.get("errorCode") in (100, 101, 105):
            return Answer(OK, index, {"applied": False})
        return self._write(status, answer)

    def delete(self, server: Server, config: str, key: str, **more: Any) -> Answer:
        status, index, answer = self._form(server, "DELETE", self._path(config, key))
        if isinstance(answer, dict) and answer.get("errorCode") == 100:
            return Answer(OK, index, {"deleted": False})
        return self._write(status, answer)
