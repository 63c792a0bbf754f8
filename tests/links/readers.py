"""The processes that read a file for one that imports it."""

from __future__ import annotations

from pathlib import Path

from leasehold_links.bookmarks import beside


def readers(pid: int | str = "self") -> list[int]:
    """Name the readers that a process has started."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    found = [int(each) for task in tasks for each in _read(task / "children").split()]
    return [each for each in found if _is_reader(each)]


def _is_reader(pid: int) -> bool:
    return beside.__name__.encode() in _read(Path(f"/proc/{pid}/cmdline")).split(b"\0")


def _read(path: Path) -> bytes:
    """Read what the system says; of a thread or a process that has just ended, nothing."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
