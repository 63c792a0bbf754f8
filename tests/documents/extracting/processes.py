"""The processes that read files, as the operating system sees them."""

from __future__ import annotations

from pathlib import Path

from leasehold_documents.extracting.builtin import BuiltIn


def nursery(engine: BuiltIn) -> int:
    process = engine._asking._children._nursery
    assert process is not None
    return process.pid


def children(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(each) for each in listed.split()]
