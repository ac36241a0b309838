"""What h2load needs to be asked, and what it answered.

usage: h2load.py --requests DIRECTORY      writes Range.bin and Put.bin there: gRPC messages of etcd's KV service
       h2load.py NAME OUTPUT LOG           prints `NAME requests/s p50 p99 errors`, times in microseconds, as load.lua does
"""

import pathlib
import re
import sys

KEY, VALUE = b"/bench", b"v" * 256


def field(number: int, value: bytes) -> bytes:
    """A field of bytes, as protobuf writes it."""
    length, size = b"", len(value)
    while size > 127:
        length, size = length + bytes([size & 127 | 128]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + value


def write_requests(directory: pathlib.Path) -> None:
    for name, message in {"Range": field(1, KEY), "Put": field(1, KEY) + field(2, VALUE)}.items():
        (directory / f"{name}.bin").write_bytes(b"\0" + len(message).to_bytes(4, "big") + message)


def summary(name: str, output: str, log: str) -> str:
    rate = re.search(r"finished in .*?, ([\d.]+) req/s", output)
    statuses = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", output)
    if not rate or not statuses:
        raise SystemExit(f"h2load said something else:\n{output}")
    # Columns of the log: when the request began, its status, how long it took; both times in microseconds.
    rows = [line.split("\t") for line in log.splitlines()]
    times = sorted(int(row[2]) for row in rows)
    errors = sum(int(count) for count in statuses.groups()[1:]) + sum(row[1] != "200" for row in rows)
    if not times:
        raise SystemExit(f"h2load had no answer:\n{output}")
    return f"{name} {rate[1]} {times[len(times) // 2]} {times[len(times) * 99 // 100]} {errors}"


def main() -> None:
    if sys.argv[1] == "--requests":
        return write_requests(pathlib.Path(sys.argv[2]))
    name, output, log = sys.argv[1:]
    print(summary(name, pathlib.Path(output).read_text(), pathlib.Path(log).read_text()))


main()
