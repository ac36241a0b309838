"""Clients of etcd's v3 API: the JSON gateway, and gRPC through the stubs of a client from PyPI (aetcd)."""
from __future__ import annotations

import base64
import threading
from typing import Any

from clients import TIMEOUT, HTTPClient, Item
from cluster import Server
from history import FAIL, OK, UNKNOWN, Answer

_V3_CALLS = frozenset({"get", "list", "put", "cas", "delete", "txn", "rev", "lease"})
#: gRPC's codes after which nothing was written: invalid argument, not found, already exists, resource exhausted, failed
#: precondition, out of range, unimplemented. 14 (unavailable) is not among them: every lost connection has it.
_DEFINITE = frozenset({3, 5, 6, 8, 9, 11, 12})


def encode(text: str) -> str:
    """Bytes in v3 JSON."""
    return base64.b64encode(text.encode()).decode()


def decode(text: str | None) -> str:
    """Text from v3 JSON."""
    return base64.b64decode(text or "").decode("utf-8", "replace")


def end_of(prefix: str) -> str:
    """The end of the range of all keys with a prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


class V3Client(HTTPClient):
    """The JSON gateway."""

    api = "v3json"
    calls = _V3_CALLS | {"lock"}

    def call(self, server: Server, config: str, path: str, body: dict[str, Any],
             timeout: float = TIMEOUT) -> tuple[Answer, dict[str, Any]]:
        """Calls a method; the answer's result is empty."""
        prefix = "" if config == "default" else f"/{config}"
        status, _, answer = self.request(server, "POST", f"{prefix}/v3/{path}", body, timeout=timeout)
        if status == 200:
            revision = (answer.get("header") or (answer.get("result") or {}).get("header") or {}).get("revision")
            return Answer(OK, int(revision) if revision else None), answer
        code = answer.get("code") if isinstance(answer, dict) else None
        return Answer(FAIL if code in _DEFINITE else UNKNOWN, code=f"gRPC {code or status}"), {}

    @staticmethod
    def _item(kv: dict[str, Any]) -> Item:
        return [decode(kv.get("value")), int(kv["mod_revision"]), int(kv.get("version", 0))]

    def get(self, server: Server, config: str, key: str, rev: int | None = None, **more: Any) -> Answer:
        body = {"key": encode(key)} | ({"revision": str(rev)} if rev else {})
        answer, content = self.call(server, config, "kv/range", body)
        if answer.outcome == OK:
            items = content.get("kvs") or []
            answer.result = {"item": self._item(items[0]) if items else None}
        return answer

    def list(self, server: Server, config: str, prefix: str, rev: int | None = None, **more: Any) -> Answer:
        body = {"key": encode(prefix), "range_end": encode(end_of(prefix))} | ({"revision": str(rev)} if rev else {})
        answer, content = self.call(server, config, "kv/range", body)
        if answer.outcome == OK:
            answer.result = {"items": {decode(kv["key"]): self._item(kv) for kv in content.get("kvs") or []}}
        return answer

    def put(self, server: Server, config: str, key: str, value: str, lease: int | None = None, **more: Any) -> Answer:
        body = {"key": encode(key), "value": encode(value), "prev_kv": True}
        answer, content = self.call(server, config, "kv/put", body | ({"lease": str(lease)} if lease else {}))
        if answer.outcome == OK:
            answer.result = {"applied": True}
            if content.get("prev_kv"):
                answer.result["prev"] = self._item(content["prev_kv"])
        return answer

    def cas(self, server: Server, config: str, key: str, value: str, expect: int, **more: Any) -> Answer:
        return self.txn(server, config, {key: value}, {key: expect})

    def delete(self, server: Server, config: str, key: str, **more: Any) -> Answer:
        answer, content = self.call(server, config, "kv/deleterange", {"key": encode(key), "prev_kv": True})
        if answer.outcome == OK:
            answer.result = {"deleted": int(content.get("deleted", 0)) > 0}
        return answer

    def txn(self, server: Server, config: str, sets: dict[str, str], expect: dict[str, int]) -> Answer:
        body = {"compare": [{"key": encode(key), "target": "MOD", "result": "EQUAL", "mod_revision": str(revision)}
                            for key, revision in expect.items()],
                "success": [{"request_put": {"key": encode(key), "value": encode(value)}}
                            for key, value in sets.items()]}
        answer, content = self.call(server, config, "kv/txn", body)
        if answer.outcome == OK:
            answer.result = {"applied": bool(content.get("succeeded"))}
        return answer

    # -- leases and locks -----------------------------------------------------------------------------------------

    def grant(self, server: Server, lease: int, ttl: int) -> Answer:
        """Grants a lease with an id."""
        answer, content = self.call(server, "default", "lease/grant", {"ID": str(lease), "TTL": str(ttl)})
        answer.result = {"ttl": int(content.get("TTL", 0))} if content else {}
        return answer

    def revoke(self, server: Server, lease: int) -> Answer:
        """Revokes a lease."""
        return self.call(server, "default", "lease/revoke", {"ID": str(lease)})[0]

    def keep_alive(self, server: Server, lease: int) -> Answer:
        """Renews a lease; a TTL of 0 says that there is none."""
        answer, content = self.call(server, "default", "lease/keepalive", {"ID": str(lease)})
        if answer.outcome == OK and "result" not in content:
            # An error that comes once the stream has begun; the lease may have been renewed.
            answer.outcome = UNKNOWN
        answer.result = {"ttl": int(content["result"].get("TTL", 0))} if answer.outcome == OK else {}
        return answer

    def time_to_live(self, server: Server, lease: int) -> Answer:
        """Asks what is left of a lease; -1 says that there is none."""
        answer, content = self.call(server, "default", "lease/timetolive", {"ID": str(lease), "keys": True})
        if content:
            keys = [decode(key) for key in content.get("keys") or []]
            answer.result = {"ttl": int(content.get("TTL", 0)), "keys": keys}
        return answer

    def lock(self, server: Server, name: str, lease: int, timeout: float) -> Answer:
        """Waits for a lock; the key of the holder is the result."""
        body = {"name": encode(name), "lease": str(lease)}
        answer, content = self.call(server, "default", "lock/lock", body, timeout)
        if answer.outcome == OK:
            answer.result = {"key": decode(content.get("key"))}
        return answer

    def unlock(self, server: Server, key: str) -> Answer:
        """Gives a lock back."""
        return self.call(server, "default", "lock/unlock", {"key": encode(key)})[0]


class GRPCClient(HTTPClient):
    """gRPC, through the generated stubs of aetcd on a channel of grpcio."""

    api = "grpc"
    calls = _V3_CALLS

    def __init__(self) -> None:
        super().__init__()
        import aetcd.rpc as rpc
        import grpc
        self.rpc, self.grpc = rpc, grpc
        self._channels: dict[tuple[str, int], Any] = {}
        self._lock = threading.Lock()

    def channel(self, server: Server) -> Any:
        """The channel to a server process."""
        place = (server.name, server.life)
        with self._lock:
            if place not in self._channels:
                options = [("grpc.enable_retries", 0), ("grpc.initial_reconnect_backoff_ms", 100),
                           ("grpc.max_reconnect_backoff_ms", 500), ("grpc.use_local_subchannel_pool", 1)]
                self._channels[place] = self.grpc.insecure_channel(f"127.0.0.1:{server.grpc_port}", options)
            return self._channels[place]

    def close(self) -> None:
        """Closes all channels."""
        for channel in self._channels.values():
            channel.close()

    def _call(self, server: Server, config: str, stub: Any, method: str, request: Any) -> tuple[Answer, Any]:
        try:
            call = getattr(stub(self.channel(server)), method)
            response = call(request, timeout=TIMEOUT, metadata=(("discfg-cfg", config),))
        except self.grpc.RpcError as error:
            code = error.code().value[0]
            return Answer(FAIL if code in _DEFINITE else UNKNOWN, code=f"gRPC {code}"), None
        return Answer(OK, response.header.revision), response

    @staticmethod
    def _item(kv: Any) -> Item:
        return [kv.value.decode("utf-8", "replace"), kv.mod_revision, kv.version]

    def get(self, server: Server, config: str, key: str, rev: int | None = None, **more: Any) -> Answer:
        request = self.rpc.RangeRequest(key=key.encode(), revision=rev or 0)
        answer, response = self._call(server, config, self.rpc.KVStub, "Range", request)
        if response:
            answer.result = {"item": self._item(response.kvs[0]) if response.kvs else None}
        return answer

    def list(self, server: Server, config: str, prefix: str, rev: int | None = None, **more: Any) -> Answer:
        request = self.rpc.RangeRequest(key=prefix.encode(), range_end=end_of(prefix).encode(), revision=rev or 0)
        answer, response = self._call(server, config, self.rpc.KVStub, "Range", request)
        if response:
            answer.result = {"items": {kv.key.decode(): self._item(kv) for kv in response.kvs}}
        return answer

    def put(self, server: Server, config: str, key: str, value: str, lease: int | None = None, **more: Any) -> Answer:
        request = self.rpc.PutRequest(key=key.encode(), value=value.encode(), lease=lease or 0, prev_kv=True)
        answer, response = self._call(server, config, self.rpc.KVStub, "Put", request)
        if response:
            answer.result = {"applied": True}
            if response.HasField("prev_kv"):
                answer.result["prev"] = self._item(response.prev_kv)
        return answer

    def cas(self, server: Server, config: str, key: str, value: str, expect: int, **more: Any) -> Answer:
        return self.txn(server, config, {key: value}, {key: expect})

    def delete(self, server: Server, config: str, key: str, **more: Any) -> Answer:
        request = self.rpc.DeleteRangeRequest(key=key.encode())
        answer, response = self._call(server, config, self.rpc.KVStub, "DeleteRange", request)
        if response:
            answer.result = {"deleted": response.deleted > 0}
        return answer

    def txn(self, server: Server, config: str, sets: dict[str, str], expect: dict[str, int]) -> Answer:
        rpc = self.rpc
        request = rpc.TxnRequest(
            compare=[rpc.Compare(key=key.encode(), target=rpc.Compare.MOD, result=rpc.Compare.EQUAL,
                                 mod_revision=revision) for key, revision in expect.items()],
            success=[rpc.RequestOp(request_put=rpc.PutRequest(key=key.encode(), value=value.encode()))
                     for key, value in sets.items()])
        answer, response = self._call(server, config, rpc.KVStub, "Txn", request)
        if response:
            answer.result = {"applied": response.succeeded}
        return answer
