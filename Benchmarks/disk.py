"""Prints the median time of a 4 KiB append with fdatasync, in microseconds: what a durable write must at least wait for.

usage: disk.py DIRECTORY
"""

import os
import statistics
import sys
import tempfile
import time


def main() -> None:
    times = []
    with tempfile.NamedTemporaryFile(dir=sys.argv[1]) as file:
        for _ in range(500):
            start = time.perf_counter()
            os.write(file.fileno(), b"x" * 4096)
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - start)
    print(f"{statistics.median(times) * 1e6:.0f}")


main()
