"""Prints the wall time of a command in milliseconds, start of the process included.

usage: wall.py NAME RUNS COMMAND...     prints `NAME median fastest slowest`
"""

import statistics
import subprocess
import sys
import time


def milliseconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=600)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    name, runs, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    if runs > 1:
        milliseconds(command)  # the first run fills the disk cache
    times = [milliseconds(command) for _ in range(runs)]
    print(f"{name} {statistics.median(times):.2f} {min(times):.2f} {max(times):.2f}")


main()
