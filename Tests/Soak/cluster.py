"""The processes of a run: servers of one store, commands, and DynamoDB's stand-in."""
from __future__ import annotations

import http.client
import os
import random
import signal
import socket
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import shim
from isolation import Isolation
from proxy import Proxy

ENGINES = ("sqlite", "dynamodb", "memory")
#: The table of a run; the stand-in is its own.
TABLE = "soak"


class DidNotStart(Exception):
    """A process that was needed did not start."""


def free_port() -> int:
    """A port below those that the system gives to outgoing connections, on which nothing listens now."""
    for _ in range(200):
        port = random.SystemRandom().randint(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise DidNotStart("found no free port")


@dataclass
class Tools:
    """The programs that a run needs."""

    discfg: Path
    ministack: Path | None
    library: Path | None
    #: Whether syncs of files keep nothing, to see that the harness finds it.
    lies: bool = False
    #: The planted defect that every process of discfg has, in a build that has them; empty for none.
    mutant: str = ""


class Server:
    """One `discfg serve`, which may be killed and started again on the same ports."""

    def __init__(self, name: str, cluster: "Cluster", store: str, proxy: Proxy | None, has_views: bool) -> None:
        self.name, self.store, self.proxy, self._has_views = name, store, proxy, has_views
        self.port, self.grpc_port = free_port(), free_port()
        self.life = 0
        self.is_paused = False
        self._cluster = cluster
        self._process: subprocess.Popen[bytes] | None = None
        self.control = cluster.control(name)

    @property
    def process(self) -> str:
        """The process that runs now, as histories name it."""
        return f"{self.name}#{self.life}"

    @property
    def is_running(self) -> bool:
        """Whether the process is there and not stopped."""
        return self._process is not None and self._process.poll() is None and not self.is_paused

    def start(self) -> None:
        """Starts the process, and waits until it answers."""
        self.life += 1
        arguments = [str(self._cluster.tools.discfg), "--store", self.store, "serve", "--listen",
                     f"127.0.0.1:{self.port}", "--etcd-listen", f"127.0.0.1:{self.grpc_port}"]
        if self.name == "s2":
            # One server looks often for the commits of others: it meets transactions that are not yet all visible.
            arguments += ["--poll-interval", "20ms"]
        if not self._has_views:
            arguments += ["--view-memory", "0"]
        environment = self._cluster.environment(self.control)
        with (self._cluster.folder / f"{self.name}.log").open("ab") as log:
            self._process = subprocess.Popen(arguments, env=environment, cwd=self._cluster.folder,
                                             stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for _ in range(600):
            if self._process.poll() is not None:
                raise DidNotStart(f"{self.name} ended with {self._process.returncode}: see {self.name}.log")
            if _answers(self.port, "/health"):
                return
            time.sleep(0.05)
        raise DidNotStart(f"{self.name} did not answer within 30 s: see {self.name}.log")

    def kill(self) -> None:
        """`kill -9`."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self.is_paused = False

    def died(self) -> int | None:
        """How the process ended by itself; `None` while it runs."""
        return self._process.poll() if self._process else None

    def pause(self) -> None:
        """SIGSTOP."""
        if self._process and self._process.poll() is None:
            self.is_paused = True
            self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGCONT)
        self.is_paused = False


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


@dataclass
class Cluster:
    """The servers of one store, and what stands behind them."""

    engine: str
    tools: Tools
    folder: Path
    seed: str
    #: Whether servers answer reads from memory; `None` for some of them.
    views: bool | None = None
    servers: list[Server] = field(default_factory=list)
    isolation: Isolation = field(default_factory=Isolation)
    proxies: list[Proxy] = field(default_factory=list)
    #: Held while a command runs or a server starts, so that the file is not moved at that moment.
    file_lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.files = self.folder / "store"
        self.journal = self.folder / "unsynced"
        self.files.mkdir(parents=True)
        self.journal.mkdir()
        self._ministack: subprocess.Popen[bytes] | None = None
        self._backend = 0
        self.cli_control = self.control("cli")
        self.cli_proxy: Proxy | None = None

    def control(self, name: str) -> shim.Control | None:
        """What shifts the clock and breaks the disk of one process, if there is a library to preload."""
        if not self.tools.library:
            return None
        journal = self.journal if self.engine == "sqlite" else None
        return shim.Control(self.folder / f"{name}.control", self.tools.library, self.files, journal)

    def environment(self, control: shim.Control | None) -> dict[str, str]:
        """What a process of discfg finds in its environment."""
        kept = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TMPDIR", "ASAN_OPTIONS", "TSAN_OPTIONS")
        variables = {name: os.environ[name] for name in kept if name in os.environ}
        variables |= {"HOME": str(self.folder), "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
                      "AWS_REGION": "us-east-1"}
        if self.tools.lies:
            variables["SOAK_LIES"] = "1"
        if self.tools.mutant:
            variables["DISCFG_MUTANT"] = self.tools.mutant
        return variables | (control.environment if control else {})

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.files / "store.db"

    def start(self, count: int) -> None:
        """Starts the stand-in if it is needed, makes the store, and starts the servers."""
        if self.engine == "dynamodb":
            self._start_ministack()
            subprocess.run([self.tools.discfg, "--store", self._table(self._backend), "store", "init"], check=True,
                           env=self.environment(None), cwd=self.folder, capture_output=True, timeout=60)
            self.cli_proxy = self._proxy("cli")
        choice = random.Random(f"{self.seed}/views")
        for number in range(1 if self.engine == "memory" else count):
            proxy = self._proxy(f"s{number + 1}") if self.engine == "dynamodb" else None
            has_views = choice.random() < 0.6 if self.views is None else self.views
            server = Server(f"s{number + 1}", self, self._store(proxy), proxy, has_views)
            self.servers.append(server)
            server.start()

    @property
    def cli_store(self) -> str:
        """The store as commands name it; a command that uses no server is a process of its own on the store."""
        if self.engine == "memory":
            return f"http://127.0.0.1:{self.servers[0].port}"
        return self._store(self.cli_proxy)

    def _store(self, proxy: Proxy | None) -> str:
        if self.engine == "memory":
            return "memory:"
        return self._table(proxy.port) if proxy else f"sqlite:{self.database}"

    @staticmethod
    def _table(port: int) -> str:
        return f"dynamodb:{TABLE}?region=us-east-1&endpoint=http://127.0.0.1:{port}"

    def _proxy(self, name: str) -> Proxy:
        proxy = Proxy(self._backend, self.isolation, f"{self.seed}/proxy/{name}")
        self.proxies.append(proxy)
        return proxy

    def _start_ministack(self) -> None:
        if not self.tools.ministack:
            raise DidNotStart("the engine dynamodb needs ministack: run Scripts/install-dependencies.sh test")
        self._backend = free_port()
        environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(self.folder), "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(self._backend), "LOG_LEVEL": "WARNING", "DOCKER_HOST": "",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._backend}", "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        }
        with (self.folder / "ministack.log").open("ab") as log:
            # The Python beside ministack is the one that has it.
            python = self.tools.ministack.with_name("python")
            program = [str(python), "-B", str(Path(__file__).with_name("stand_in.py"))]
            self._ministack = subprocess.Popen(program if python.exists() else [str(self.tools.ministack)],
                                               env=environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                               stdout=log, stderr=log)
        for _ in range(600):
            if _answers(self._backend, "/_ministack/health"):
                return
            time.sleep(0.05)
        raise DidNotStart("ministack did not answer within 30 s: see ministack.log")

    def heal(self) -> None:
        """Ends all faults: clocks agree, disks work, proxies pass everything on, and every server runs."""
        for proxy in self.proxies:
            proxy.heal()
        for control in [server.control for server in self.servers] + [self.cli_control]:
            if control:
                control.set_clock(0)
                control.set_disk(shim.HEALTHY)
        for server in self.servers:
            server.resume()
            if not server.is_running:
                server.start()

    def stop(self) -> None:
        """Ends every process that this cluster started."""
        for server in self.servers:
            server.resume()
            server.kill()
        for proxy in self.proxies:
            proxy.stop()
        if self._ministack:
            self._ministack.kill()
            self._ministack.wait()
