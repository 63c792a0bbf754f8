"""Imports: from the uploaded file to folders, links and enrichments, a thousand lines at a time.

Each step is one transaction: links, counts, enrichments and how far we are stand together or not at
all. So whenever the worker is killed, the next one goes on and every line is counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING
from uuid import UUID

from leasehold_links.bookmarks.lines import Counts, Line, read_line
from leasehold_links.bookmarks.reading import read_bookmarks
from leasehold_links.data import imports, library

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_links.data.database import Database

STEP = 1_000


def read_lines(database: Database, import_id: UUID, start: int) -> Iterator[list[Line]]:
    """Read the uploaded file from a line on, in steps. `NotBookmarks` when it is none."""
    lines = enumerate(read_bookmarks(imports.chunks(database, import_id)))
    rest = islice(lines, start, None)
    while step := [read_line(number, each) for number, each in islice(rest, STEP)]:
        yield step


def count_lines(database: Database, import_id: UUID) -> int:
    return sum(1 for _ in read_bookmarks(imports.chunks(database, import_id)))


def store_lines(
    connection: Connection,
    import_id: UUID,
    user_id: str,
    lines: Sequence[Line],
    *,
    new_id: Callable[[], UUID],
    now: datetime,
) -> tuple[Counts, list[library.NewCanonical]]:
    """Write a step; returns what became of its lines, and the addresses that nobody had before."""
    skipped = [line for line in lines if line.address is None]
    imports.note_items(connection, import_id, skipped, now)
    wanted = [
        library.Placement(line.bookmark, line.address, line.number)
        for line in lines
        if line.address is not None
    ]
    folders = library.ensure_folders(connection, user_id, wanted, new_id=new_id, now=now)
    canonicals, fresh = library.ensure_canonicals(
        connection, user_id, wanted, new_id=new_id, now=now
    )
    imported = library.place_links(
        connection, user_id, wanted, folders, canonicals, new_id=new_id, now=now
    )
    counts = Counts(imported=imported, duplicate=len(wanted) - imported, skipped=len(skipped))
    imports.add_counts(connection, import_id, counts)
    return counts, fresh
