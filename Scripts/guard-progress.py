#!/usr/bin/env python3
"""Runs a command and ends it if it prints nothing for too long.

A test run that makes progress may take as long as it needs; one that hangs is ended, and the tests that had started but
not ended are listed. The exit status is the command's, or 124 if it was ended.

usage: Scripts/guard-progress.py SECONDS COMMAND [ARGUMENT ...]
"""

import os
import re
import selectors
import signal
import subprocess
import sys

# Cases of a test with arguments are passed over: their ends are not printed.
STARTED = re.compile(r"^◇ Test (?!case passing )(.+) started\.")
ENDED = re.compile(
    r"^[✔✘➜] Test (?!case passing )(.+?)(?: with \d+ test cases?)?(?: (?:passed|failed) after .*| skipped.*)$"
)


def main() -> int:
    """Runs the command, and takes everything that it started along when it ends."""
    patience, command = float(sys.argv[1]), sys.argv[2:]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    # An interrupted run takes its tests with it: they are in a session of their own.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return copy_output(process, patience)
    except KeyboardInterrupt:
        return 130
    finally:
        end(process)


def copy_output(process: "subprocess.Popen[bytes]", patience: float) -> int:
    """Copies what the process prints until it ends; returns its exit status, or 124 after a silence."""
    assert process.stdout is not None
    running: dict[str, None] = {}
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(patience):
                print(f"\nEnded: nothing was printed for {patience:g} seconds. Still running:", flush=True)
                for name in running:
                    print(f"  {name}", flush=True)
                return 124
            chunk = os.read(process.stdout.fileno(), 65536)
            if not chunk:
                return process.wait()
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                follow(line.decode(errors="replace"), running)


def follow(line: str, running: dict[str, None]) -> None:
    """Adds a test that started to `running`, and removes one that ended."""
    if started := STARTED.search(line):
        running[started[1]] = None
    elif ended := ENDED.search(line):
        running.pop(ended[1], None)


def end(process: "subprocess.Popen[bytes]") -> None:
    """Kills the command with everything that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


if __name__ == "__main__":
    sys.exit(main())
