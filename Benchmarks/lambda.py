"""Measures discfg-lambda beside a function in Python that does the same read; prints the tables of docs/benchmarks.md.

usage: lambda.py --endpoint URL --table NAME --work DIRECTORY --bootstrap FILE [--zip FILE]
                 [--starts N] [--invocations N]

Runs with the Python of an environment made from Scripts/requirements-lambda.txt. The table in DynamoDB's stand-in at
the endpoint holds the key /greeting. Tables go to stdout, progress to stderr.
"""

import argparse
import base64
import contextlib
import http.client
import importlib.metadata
import importlib.util
import json
import pathlib
import platform
import re
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable

DEADLINE = 30  # seconds that a function, the emulator or the stand-in of DynamoDB may take for anything
ROUNDS = 10  # into which warm invocations are divided, so that a slower while of the machine meets all
KEY = "/v1/default/keys/greeting"

ACCEPTED = (b"HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n"
            b'{"status":"OK"}\n')

FLOOR = '''
def handler(event, context):
    return {"statusCode": 200, "headers": {"Content-Type": "application/json"}, "body": "{}"}
'''


class Failed(Exception):
    """Something did not go as it must for the numbers to mean anything."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Function:
    """A program that Lambda would run, and how it is started without the emulator and by it."""

    def __init__(self, title: str, command: list[str], emulated: list[str], reads: bool, folder: pathlib.Path):
        self.title, self.command, self.emulated, self.reads, self.folder = title, command, emulated, reads, folder
        self.log = folder / f"{title}.log".replace(" ", "-")
        self.log.unlink(missing_ok=True)

    def start(self, command: list[str], environment: dict[str, str]) -> subprocess.Popen:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                command, env=environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def failed(self, why: str) -> Failed:
        end = self.log.read_text(errors="replace")[-2000:]
        return Failed(f"{self.title}: {why}; it is started as {self.command}, and its log ends so:\n{end}")


def event() -> bytes:
    """What an HTTP API sends for a GET of the key."""
    headers = {"accept": "*/*", "host": "abc123.execute-api.us-east-1.amazonaws.com", "user-agent": "curl/8.5.0",
               "x-forwarded-for": "192.0.2.1", "x-forwarded-port": "443", "x-forwarded-proto": "https",
               "x-amzn-trace-id": "Root=1-6b038548-878c121defd090ddb6f97730"}
    asked = {"method": "GET", "path": KEY, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "curl/8.5.0"}
    context = {"accountId": "123456789012", "apiId": "abc123", "domainPrefix": "abc123", "http": asked,
               "domainName": headers["host"], "requestId": "JKJaXmPLvHcESHA=", "routeKey": "$default",
               "stage": "$default", "time": "23/Nov/2026:00:13:59 +0000", "timeEpoch": 1795392839588}
    return json.dumps({"version": "2.0", "routeKey": "$default", "rawPath": KEY, "rawQueryString": "",
                       "headers": headers, "requestContext": context, "isBase64Encoded": False}).encode()


def checked(function: Function, reply: bytes) -> dict | None:
    """The JSON of the body, if the reply is that of an HTTP API, and means success."""
    try:
        answer = json.loads(reply)
        if answer["statusCode"] != 200:
            raise function.failed(f"it answered {reply[:300]!r}")
        body = answer["body"]
        return json.loads(base64.b64decode(body) if answer.get("isBase64Encoded") else body)
    except (KeyError, TypeError, ValueError):
        raise function.failed(f"it answered {reply[:300]!r}, which is no answer for an HTTP API") from None


def whole_message(buffer: bytes) -> tuple[bytes, bytes, bytes] | None:
    """Head, body and what follows of an HTTP message, once all of it is there."""
    head, end, rest = buffer.partition(b"\r\n\r\n")
    if not end:
        return None
    if re.search(rb"(?i)\r\ntransfer-encoding:", head):
        raise Failed(f"a message without a length is not understood here: {head[:300]!r}")
    found = re.search(rb"(?i)\r\ncontent-length:\s*(\d+)", head)
    length = int(found[1]) if found else 0
    return (head, rest[:length], rest[length:]) if len(rest) >= length else None


class RuntimeAPI:
    """Stands in for Lambda's Runtime API, for one process of one function; tells when it asked and answered."""

    def __init__(self, function: Function, environment: dict[str, str]):
        self.function = function
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.buffers: dict[socket.socket, bytes] = {}
        self.waiting: tuple[socket.socket, float] | None = None
        self.reply: tuple[bytes, float] | None = None
        address = "{}:{}".format(*self.listener.getsockname())
        self.began = time.perf_counter()
        self.process = function.start(function.command, environment | {"AWS_LAMBDA_RUNTIME_API": address})

    def __enter__(self) -> "RuntimeAPI":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for connection in [self.listener, *self.buffers]:
            connection.close()
        self.selector.close()

    def ready(self) -> float:
        """Waits until the function asks for an invocation, and tells when it did."""
        self.wait(lambda: self.waiting is not None, "ask for an invocation")
        return self.waiting[1]

    def invoke(self, event: bytes) -> tuple[float, bytes]:
        """Gives the function an event; the seconds until the reply was there, and the reply."""
        self.ready()
        connection, self.waiting, self.reply = self.waiting[0], None, None
        head = ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                f"Lambda-Runtime-Aws-Request-Id: {uuid.uuid4()}\r\n"
                f"Lambda-Runtime-Deadline-Ms: {int((time.time() + DEADLINE) * 1000)}\r\n"
                "Lambda-Runtime-Invoked-Function-Arn: arn:aws:lambda:us-east-1:123456789012:function:bench\r\n"
                f"Content-Length: {len(event)}\r\n\r\n").encode()
        start = time.perf_counter()
        connection.sendall(head + event)
        self.wait(lambda: self.reply is not None, "reply")
        return self.reply[1] - start, self.reply[0]

    def wait(self, done: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + DEADLINE
        while not done():
            for key, _ in self.selector.select(0.2):
                self.take(key.fileobj)
            if self.process.poll() is not None:
                raise self.function.failed(f"it ended with status {self.process.returncode}, and did not {what}")
            if time.monotonic() > end:
                raise self.function.failed(f"it did not {what} within {DEADLINE} s")

    def take(self, connection: socket.socket) -> None:
        if connection is self.listener:
            new, _ = connection.accept()
            new.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.buffers[new] = b""
            self.selector.register(new, selectors.EVENT_READ)
            return
        chunk, now = connection.recv(1 << 16), time.perf_counter()
        if not chunk:
            self.selector.unregister(connection)
            del self.buffers[connection]
            return connection.close()
        self.buffers[connection] += chunk
        while (message := whole_message(self.buffers[connection])) is not None:
            head, body, self.buffers[connection] = message
            self.request(connection, head.split(b"\r\n", 1)[0].decode(), body, now)

    def request(self, connection: socket.socket, line: str, body: bytes, now: float) -> None:
        if line.startswith("GET ") and "/runtime/invocation/next" in line:
            self.waiting = (connection, now)
            return
        if not re.search(r"/runtime/invocation/[^/]+/response ", line):
            raise self.function.failed(f"it sent {line!r} with {body[:500]!r}")
        self.reply = (body, now)
        connection.sendall(ACCEPTED)

    def peak_memory(self) -> int:
        """The largest resident set that the process ever had, in bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


class Emulator:
    """AWS's Runtime Interface Emulator with one function, which it starts at the first invocation."""

    def __init__(self, function: Function, environment: dict[str, str]):
        self.function = function
        listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        invocations, runtime = ("{}:{}".format(*listener.getsockname()) for listener in listeners)
        for listener in listeners:
            listener.close()
        machine = {"x86_64": "x86_64", "aarch64": "arm64"}[platform.machine()]
        samcli = pathlib.Path(importlib.util.find_spec("samcli").origin).parent
        program = samcli / "local" / "rapid" / f"aws-lambda-rie-{machine}"
        flags = ["--log-level", "error", "--runtime-interface-emulator-address", invocations,
                 "--runtime-api-address", runtime]
        self.process = function.start([str(program), *flags, *function.emulated], environment)
        self.connection = http.client.HTTPConnection(invocations, timeout=DEADLINE)

    def __enter__(self) -> "Emulator":
        end = time.monotonic() + DEADLINE
        while True:
            try:
                self.connection.connect()
                return self
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.__exit__()
                    raise self.function.failed("the emulator did not start") from None
                time.sleep(0.01)

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self.process.terminate()  # then it kills the function
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def invoke(self, event: bytes) -> tuple[float, bytes]:
        start = time.perf_counter()
        self.connection.request("POST", "/2015-03-31/functions/function/invocations", event)
        reply = self.connection.getresponse().read()
        return time.perf_counter() - start, reply


def receive(connection: socket.socket) -> bytes:
    """The next whole message; empty when the other side has closed the connection."""
    buffer = b""
    while True:
        chunk = connection.recv(1 << 16)
        if not chunk:
            return b""
        buffer += chunk
        if whole_message(buffer) is not None:
            return buffer


def connect(host: str, port: int) -> socket.socket:
    connection = socket.create_connection((host, port), timeout=DEADLINE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


class Recorder:
    """Stands before DynamoDB's stand-in, and notes each call: how long it took there, and its bytes."""

    def __init__(self, host: str, port: int):
        self.host, self.port, self.calls = host, port, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://{}:{}".format(*self.listener.getsockname())
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.relay, args=(connection,), daemon=True).start()

    def relay(self, connection: socket.socket) -> None:
        with connection, connect(self.host, self.port) as upstream:
            while request := receive(connection):
                start = time.perf_counter()
                upstream.sendall(request)
                reply = receive(upstream)
                self.calls.append((time.perf_counter() - start, request))
                connection.sendall(reply)


class Replay:
    """Sends the bytes of a call again, over one connection that is kept: what the call alone takes."""

    def __init__(self, host: str, port: int, request: bytes):
        self.connection, self.request = connect(host, port), request

    def call(self) -> float:
        start = time.perf_counter()
        self.connection.sendall(self.request)
        reply = receive(self.connection)
        took = time.perf_counter() - start
        if not reply.startswith(b"HTTP/1.1 200") or b'"Item"' not in reply:
            raise Failed(f"DynamoDB's stand-in answered a repeated call with {reply[:300]!r}")
        return took


class Bench:
    """The functions, their environment, and what was measured, in milliseconds."""

    def __init__(self, given: argparse.Namespace):
        self.given, self.event = given, event()
        place = urllib.parse.urlparse(given.endpoint)
        self.host, self.port = place.hostname, place.port
        self.folder = given.work / "function"
        self.folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(pathlib.Path(__file__).with_name("lambda_function.py"), self.folder)
        (self.folder / "lambda_floor.py").write_text(FLOOR)
        bootstrap = str(given.bootstrap.resolve())
        python = [sys.executable, "-m", "awslambdaric"]
        reading, floor = [*python, "lambda_function.handler"], [*python, "lambda_floor.handler"]
        self.functions = [
            # AWS tells the handler in the environment alone, the emulator also as the last argument.
            Function("discfg-lambda", [bootstrap], [bootstrap, "api"], True, self.folder),
            Function("Python and boto3", reading, reading, True, self.folder),
            Function("Python that reads nothing", floor, floor, False, self.folder),
        ]
        self.reading = [function for function in self.functions if function.reads]
        self.numbers: dict[tuple[Function, str], list[float]] = {}
        self.rounds: list[float] = []
        self.calls: dict[Function, float] = {}
        self.memory: dict[Function, int] = {}

    def environment(self, function: Function, endpoint: str | None = None) -> dict[str, str]:
        """All that a function gets, and the emulator: with AWS_LAMBDA_MAX_CONCURRENCY it would be another emulator."""
        handler = {} if function is not self.functions[0] else {"_HANDLER": "api"}
        return handler | {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8",
            "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_ENDPOINT_URL": endpoint or self.given.endpoint, "DISCFG_STORE": f"dynamodb:{self.given.table}",
            "AWS_LAMBDA_FUNCTION_NAME": "bench", "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "256", "AWS_LAMBDA_FUNCTION_TIMEOUT": str(DEADLINE),
            "AWS_LAMBDA_LOG_GROUP_NAME": "/aws/lambda/bench", "AWS_LAMBDA_LOG_STREAM_NAME": "bench",
            "LAMBDA_TASK_ROOT": str(self.folder),
        }

    def add(self, function: Function, what: str, seconds: float) -> None:
        self.numbers.setdefault((function, what), []).append(seconds * 1000)

    def check_answers(self) -> None:
        """Whoever answers something else does something else, and need not be compared."""
        bodies = {}
        for function in self.reading:
            with RuntimeAPI(function, self.environment(function)) as api:
                bodies[function.title] = checked(function, api.invoke(self.event)[1])
        if len({json.dumps(body, sort_keys=True) for body in bodies.values()}) != 1:
            raise Failed(f"the functions differ in what they answer to GET {KEY}: {bodies}")

    def measure_starts(self) -> None:
        """Cold starts, one function after the other; the first of each fills the disk cache, and does not count."""
        for number in range(self.given.starts + 1):
            for function in self.functions:
                with RuntimeAPI(function, self.environment(function)) as api:
                    ready = api.ready()
                    _, reply = api.invoke(self.event)
                    answered = api.reply[1]
                checked(function, reply)
                with Emulator(function, self.environment(function)) as emulator:
                    emulated, reply = emulator.invoke(self.event)
                checked(function, reply)
                if number > 0:
                    self.add(function, "ready", ready - api.began)
                    self.add(function, "first", answered - api.began)
                    self.add(function, "emulated", emulated)

    def record_calls(self) -> dict[Function, bytes]:
        """Warm invocations with the recorder between; the bytes of the last call of each function."""
        requests = {}
        for function in self.reading:
            recorder = Recorder(self.host, self.port)
            with RuntimeAPI(function, self.environment(function, recorder.url)) as api:
                for _ in range(20):
                    api.invoke(self.event)
                recorder.calls.clear()
                for _ in range(self.given.invocations):
                    before = len(recorder.calls)
                    seconds, _ = api.invoke(self.event)
                    self.add(function, "recorded-get", seconds)
                    self.add(function, "recorded-call", sum(took for took, _ in recorder.calls[before:]))
            self.calls[function] = len(recorder.calls) / self.given.invocations
            if not recorder.calls:
                raise function.failed("it did not call DynamoDB where its environment says")
            requests[function] = recorder.calls[-1][1]
        return requests

    def measure_warm(self, requests: dict[Function, bytes]) -> None:
        """Warm invocations, and after each its call once more by itself: so the machine is the same for both."""
        replays = {function: Replay(self.host, self.port, request) for function, request in requests.items()}
        with contextlib.ExitStack() as stack:
            apis = {function: stack.enter_context(RuntimeAPI(function, self.environment(function)))
                    for function in self.functions}
            for number in range(ROUNDS + 1):
                for function, api in apis.items():
                    replay = replays.get(function)
                    gets, calls = [], []
                    for _ in range(self.given.invocations // ROUNDS):
                        seconds, reply = api.invoke(self.event)
                        gets.append(seconds)
                        calls += [replay.call()] if replay else []
                    checked(function, reply)
                    if number == 0:
                        continue
                    for seconds in gets:
                        self.add(function, "get", seconds)
                    for seconds in calls:
                        self.add(function, "call", seconds)
                    if function is self.functions[0]:
                        self.rounds.append(statistics.median(gets) / statistics.median(calls))
            self.memory = {function: api.peak_memory() for function, api in apis.items()}

    def measure_emulator(self) -> None:
        for function in self.functions:
            with Emulator(function, self.environment(function)) as emulator:
                for number in range(self.given.invocations + 20):
                    seconds, reply = emulator.invoke(self.event)
                    if number >= 20:
                        self.add(function, "emulated-get", seconds)
                checked(function, reply)

    def median(self, number: int, what: str) -> float:
        return statistics.median(self.numbers[self.functions[number], what])

    def goals(self) -> str:
        def against_python(what: str) -> float:
            return self.median(0, what) / self.median(1, what)
        recorded = self.median(0, "recorded-get") / self.median(0, "recorded-call")
        rows = [
            goal("start to first invocation taken, discfg / Python", against_python("ready"), 0.2, "×"),
            goal("start to first answered GET, discfg / Python", against_python("first"), 0.2, "×"),
            goal("the same in the emulator, discfg / Python", against_python("emulated"), 0.2, "×"),
            goal("warm GET / its DynamoDB call alone", statistics.median(self.rounds), 1.5, "×"),
            goal("warm GET / its DynamoDB call, as recorded", recorded, 1.5, "×"),
            goal("peak memory", self.memory[self.functions[0]] / 1e6, 60, " MB"),
        ]
        if self.given.zip:
            rows.append(goal("zip", self.given.zip.stat().st_size / 1e6, 30, " MB"))
        return table(["Goal", "measured", "wanted", "met"], *rows)

    def starts(self) -> str:
        whats = {"ready": "first invocation taken", "first": "first answered GET",
                 "emulated": "first answered GET, emulator"}
        rows = [[f"{function.title}: {title}", *(f"{number:,.1f}" for number in spread(self.numbers[function, what]))]
                for what, title in whats.items() for function in self.functions]
        return table(["Cold start, from the start of the process", "median ms", "fastest", "slowest"], *rows)

    def warm(self) -> str:
        whats = {"get": "GET", "call": "its DynamoDB call alone", "recorded-get": "GET, calls recorded",
                 "recorded-call": "its DynamoDB call, as recorded", "emulated-get": "GET, emulator"}
        rows = [[f"{function.title}: {title}", *(f"{number:.2f}" for number in tail(self.numbers[function, what]))]
                for what, title in whats.items() for function in self.functions if (function, what) in self.numbers]
        return table(["Warm, over a kept connection", "median ms", "p99 ms"], *rows)

    def sizes(self) -> str:
        rows = [[function.title, f"{self.calls[function]:.2f}" if function in self.calls else "0",
                 f"{self.memory[function] / 1e6:.1f}"] for function in self.functions]
        return table(["Function", "DynamoDB calls a GET", "peak memory, MB"], *rows)

    def notes(self) -> str:
        version = importlib.metadata.version
        size = f"binary {self.given.bootstrap.stat().st_size / 1e6:.1f} MB"
        if self.given.zip:
            size += f", zip {self.given.zip.stat().st_size / 1e6:.1f} MB"
        return "\n".join([
            f"- discfg-lambda: {size}; Python {platform.python_version()}, boto3 {version('boto3')}, "
            f"awslambdaric {version('awslambdaric')}",
            f"- Runtime Interface Emulator of aws-sam-cli {version('aws-sam-cli')}; {self.given.starts} cold starts, "
            f"{self.given.invocations} warm invocations, one at a time\n"])


def table(*lines: list[str]) -> str:
    head, *body = lines
    rule = [":--"] + ["--:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *body]) + "\n"


def goal(what: str, measured: float, wanted: float, unit: str) -> list[str]:
    return [what, f"{measured:.2f}{unit}", f"≤ {wanted:g}{unit}", "yes" if measured <= wanted else "**no**"]


def spread(numbers: list[float]) -> tuple[float, float, float]:
    return statistics.median(numbers), min(numbers), max(numbers)


def tail(numbers: list[float]) -> tuple[float, float]:
    return statistics.median(numbers), sorted(numbers)[min(len(numbers) - 1, len(numbers) * 99 // 100)]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--endpoint", required=True, help="the URL of DynamoDB's stand-in")
    parser.add_argument("--table", required=True, help="the table that holds the key /greeting")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="a folder for the functions and their logs")
    parser.add_argument("--bootstrap", required=True, type=pathlib.Path, help="the binary of discfg-lambda")
    parser.add_argument("--zip", type=pathlib.Path, help="the zip of it")
    parser.add_argument("--starts", type=int, default=10, help="cold starts of each kind")
    parser.add_argument("--invocations", type=int, default=500, help="warm invocations of each kind; at least 10")
    given = parser.parse_args()
    if given.starts < 1 or given.invocations < ROUNDS:
        parser.error(f"--starts must be at least 1, and --invocations at least {ROUNDS}")
    for file in filter(None, (given.bootstrap, given.zip)):
        if not file.is_file():
            parser.error(f"there is no {file}; run make lambda")
    return given


def main() -> int:
    bench = Bench(arguments())
    try:
        bench.check_answers()
        say("Cold starts")
        bench.measure_starts()
        say("Calls of DynamoDB")
        requests = bench.record_calls()
        say("Warm invocations")
        bench.measure_warm(requests)
        say("Warm invocations in the emulator")
        bench.measure_emulator()
    except (Failed, OSError, http.client.HTTPException) as error:
        say(f"{sys.argv[0]}: {error}")
        return 1
    print(bench.notes(), bench.goals(), bench.starts(), bench.warm(), bench.sizes(), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
