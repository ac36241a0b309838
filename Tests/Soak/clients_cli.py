"""The command line as a client: each call is a process of its own on the store."""
from __future__ import annotations

import json
import subprocess
from typing import Any

from clients import TIMEOUT, Client, Item
from cluster import Cluster, Server
from history import FAIL, OK, UNKNOWN, Answer



class CLIClient(Client):
    """Runs `discfg`, and reads its JSON."""

    api = "cli"
    calls = frozenset({"get", "list", "put", "cas", "delete"})

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def _run(self, config: str, *arguments: str) -> tuple[int, Any, str]:
        command = [str(self._cluster.tools.discfg), "--store", self._cluster.cli_store, "--cfg", config, "-f", "json"]
        # While the file is away a command would make another: it waits until the file is back.
        with self._cluster.file_lock:
            process = subprocess.Popen(command + list(arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, cwd=self._cluster.folder, text=True,
                                       env=self._cluster.environment(self._cluster.cli_control))
            try:
                output, error = process.communicate(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                raise TimeoutError from None
        try:
            answer = json.loads(output) if output.strip() else {}
        except ValueError:
            answer = {}
        return process.returncode, answer, error

    @staticmethod
    def _failure(status: int, error: str) -> Answer:
        is_open = status < 0 or status == 3
        first = error.strip().splitlines()[0][:200] if error.strip() else ""
        return Answer(UNKNOWN if is_open else FAIL, code=f"exit {status}: {first}")

    @staticmethod
    def _item(item: dict[str, Any] | None) -> Item | None:
        # A value that looks like JSON is text all the same: the workload writes nothing else.
        return [item["value"], item["revision"], item["version"]] if item else None

    def get(self, server: Server, config: str, key: str, consistent: bool = False, **more: Any) -> Answer:
        status, answer, error = self._run(config, "get", key, *(["--consistent"] if consistent else []))
        if status == 0 and answer:
            return Answer(OK, answer.get("cfgVersion"), {"item": self._item(answer["item"])})
        if status == 1 and "There is no key" in error:
            return Answer(OK, None, {"item": None})
        return self._failure(status, error)

    def list(self, server: Server, config: str, prefix: str, **more: Any) -> Answer:
        status, answer, error = self._run(config, "ls", "-r", prefix)
        if status == 0 and answer:
            items = {item["key"]: self._item(item) for item in answer["items"]}
            return Answer(OK, answer.get("cfgVersion"), {"items": items})
        return self._failure(status, error)

    def put(self, server: Server, config: str, key: str, value: str, message: str | None = None, **more: Any) -> Answer:
        status, answer, error = self._run(config, "set", key, value, *(["-m", message] if message else []))
        if status == 0 and answer:
            return Answer(OK, answer.get("cfgVersion"), {"applied": True, "version": answer["item"]["version"]})
        return self._failure(status, error)

    def cas(self, server: Server, config: str, key: str, value: str, expect: int, **more: Any) -> Answer:
        status, answer, error = self._run(config, "set", key, value, "--if-revision", str(expect))
        if status == 0 and answer:
            return Answer(OK, answer.get("cfgVersion"), {"applied": True, "version": answer["item"]["version"]})
        if status == 1:
            return Answer(OK, None, {"applied": False})
        return self._failure(status, error)

    def delete(self, server: Server, config: str, key: str, message: str | None = None, **more: Any) -> Answer:
        status, answer, error = self._run(config, "delete", key, *(["-m", message] if message else []))
        if status == 0 and answer:
            return Answer(OK, answer.get("cfgVersion"), {"deleted": True})
        if status == 1:
            return Answer(OK, None, {"deleted": False})
        return self._failure(status, error)
