"""The processes that read a file for one that imports it."""

from __future__ import annotations

from pathlib import Path

from leasehold_links.bookmarks import beside


def readers(pid: int | str = "self") -> list[int]:
    """Name the readers that a process has started."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    found = [int(each) for task in tasks for each in (task / "children").read_text().split()]
    return [each for each in found if _is_reader(each)]


def _is_reader(pid: int) -> bool:
    return beside.__name__.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
