"""The preloaded library: clocks that are shifted, disks that fail, unsynced writes that are lost.

libfaketime would do for the clocks; the library in `shim.c` is as short as its use, works with a C compiler alone, and
can change the clock and the disk of a process while it runs.
"""
from __future__ import annotations

import mmap
import os
import shutil
import struct
import subprocess
from pathlib import Path

#: How the disk of a process fails.
HEALTHY, FULL, WRITE_EIO, SYNC_EIO = range(4)

_HEAD = struct.Struct("=qqq")


class NoCompiler(Exception):
    """There is no C compiler for the library."""


def build(folder: Path) -> Path:
    """Compiles the library into a folder, and returns its path."""
    compiler = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
    if not compiler:
        raise NoCompiler("no C compiler (cc, gcc, clang): install one, or run with --no-preload")
    library = folder / "soak-shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(source), "-ldl"], check=True)
    return library


class Control:
    """The numbers that one process reads: its clock's offset, and how its disk fails."""

    def __init__(self, path: Path, library: Path, files: Path | None, journal: Path | None) -> None:
        path.write_bytes(bytes(_HEAD.size))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _HEAD.size)
        self.environment = {"LD_PRELOAD": str(library), "SOAK_CONTROL": str(path)}
        if files:
            self.environment["SOAK_FILES"] = str(files)
        if journal:
            self.environment["SOAK_JOURNAL"] = str(journal)

    def set_clock(self, seconds: float) -> None:
        """Shifts the wall clock of the process."""
        struct.pack_into("=q", self._memory, 0, int(seconds * 1e9))

    def set_disk(self, mode: int) -> None:
        """Lets writes or syncs fail from now on."""
        struct.pack_into("=q", self._memory, 8, mode)

    @property
    def failures(self) -> int:
        """How many writes and syncs have failed."""
        return struct.unpack_from("=q", self._memory, 16)[0]


def lose_unsynced_writes(files: Path, journal: Path) -> int:
    """Undoes the writes that were never synced, newest first; returns how many. No process may have the files open."""
    undone = 0
    for notes in sorted(journal.iterdir()):
        file = files / notes.name
        data, records, position = notes.read_bytes(), [], 0
        while position + _HEAD.size <= len(data):
            offset, count, size = _HEAD.unpack_from(data, position)
            position += _HEAD.size
            if position + count > len(data):
                break  # the process was killed while it noted this write, so the write never came
            records.append((offset, data[position:position + count], size))
            position += count
        if file.exists():
            with file.open("r+b") as target:
                for offset, before, size in reversed(records):
                    kept = before[:max(0, size - offset)]
                    target.seek(offset)
                    target.write(kept)
                    if size < offset + len(before) and size < os.fstat(target.fileno()).st_size:
                        target.truncate(size)
                    undone += 1
        notes.unlink()
    return undone
