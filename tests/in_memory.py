"""Tests keep what they throw away in memory, where no commit waits for a disk.

Both databases still ask for durability as they do for users; only what they ask answers at once.
A kill of a process, or of a whole PostgreSQL, loses nothing of it: memory stays with the machine.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

FOLDER_VARIABLE: Final = "TMPDIR"  # name a folder there, and tests stay away from memory
MEMORY: Final = Path("/dev/shm")
LEAST_BYTES: Final = 4 * 2**30  # all tests together take about 1 GB at once


def use_memory() -> None:
    """Let this process and those that it starts make temporary files in memory, if it has room."""
    if FOLDER_VARIABLE not in os.environ and is_fit(MEMORY):
        os.environ[FOLDER_VARIABLE] = str(MEMORY)
        tempfile.tempdir = None  # look for it again


def compile_once() -> None:
    """Let the hundreds of processes that tests start find our modules compiled."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def is_fit(folder: Path) -> bool:
    """Whether there is room, and whether programs may run there: some tests copy PostgreSQL's."""
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        return False
    can_run = not os.statvfs(folder).f_flag & os.ST_NOEXEC
    return can_run and shutil.disk_usage(folder).free >= LEAST_BYTES
