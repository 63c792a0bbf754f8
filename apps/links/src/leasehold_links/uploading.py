"""From an uploaded file to an import that waits for a worker, in one transaction; and its cancel.

The web hands in what a browser sends, the command line what it reads from a file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from leasehold_links.bookmarks.decoding import SNIFFED_BYTES, check_head
from leasehold_links.bookmarks.reading import tidied
from leasehold_links.data import imports, library
from leasehold_links.errors import FileTooLarge, ImportNotFound
from leasehold_links.model.addresses import read_address
from leasehold_links.settings import settings
from leasehold_links.tasks import AT_ONCE, begin_enriching, import_file

if TYPE_CHECKING:
    from typing import Self

    import leasehold as lh
    from leasehold.kit.data import Database
    from leasehold_links.bookmarks.values import Bookmark

_IN_MEMORY_BYTES = 8 * 1024 * 1024


class Upload:
    """A file on its way: held outside of the database until all of it is there.

    A slow sender would else keep the database's write lock. Use it in a `with`.
    """

    def __init__(self, limit_bytes: int | None = None) -> None:
        self.size = 0
        self._limit_bytes = settings().file_bytes if limit_bytes is None else limit_bytes
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115 - closed in __exit__

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    def add(self, chunk: bytes) -> None:
        """Take the next piece; `FileTooLarge` as soon as it is."""
        self.size += len(chunk)
        if self.size > self._limit_bytes:
            raise FileTooLarge(self._limit_bytes)
        self._file.write(chunk)

    def start(
        self, client: lh.Client, database: Database, user_id: str, file_name: str = ""
    ) -> UUID:
        """Write the file down and enqueue its import; `NotBookmarks` when it is certainly none."""
        self._file.seek(0)
        check_head(self._file.read(SNIFFED_BYTES))
        self._file.seek(0)
        import_id = client.ids.next()
        with database.write_session() as session:
            connection = session.connection()
            imports.create(
                connection,
                import_id,
                user_id=user_id,
                file_name=file_name,
                data=self._pieces(),
                now=datetime.now(UTC),
            )
            # On the session, which wakes a worker once it is committed.
            client.on(session).enqueue(import_file.with_options(id=import_id), import_id, user_id)
        return import_id

    def _pieces(self) -> Iterator[bytes]:
        while piece := self._file.read(imports.CHUNK_BYTES):
            yield piece


def start_import(
    client: lh.Client,
    database: Database,
    user_id: str,
    file_name: str,
    chunks: Iterable[bytes],
    *,
    limit_bytes: int | None = None,
) -> UUID:
    """Store a file and enqueue its import; returns the import's id, which is its job's too.

    `FileTooLarge` as soon as it is over the limit, `NotBookmarks` when its beginning is none of a
    bookmark file: nothing is written then.
    """
    with Upload(limit_bytes) as upload:
        for chunk in chunks:
            upload.add(chunk)
        return upload.start(client, database, user_id, file_name)


class Added(NamedTuple):
    """The link that stands in the folder now, and whether it was not there before."""

    link_id: UUID
    is_new: bool


def add_link(client: lh.Client, database: Database, user_id: str, bookmark: Bookmark) -> Added:
    """Put one link into a folder of somebody's library; `NotFetchable` when it can't be one."""
    bookmark = tidied(bookmark)
    address = read_address(bookmark.url)
    with database.write_session() as session:
        connection = session.connection()
        position = library.next_position(connection, user_id)
        bulk = database.bulk(connection)
        shelf = library.Shelf(bulk, user_id, client.ids.take, datetime.now(UTC))
        placed = shelf.place([library.Placement(bookmark, address, position)])
        begin_enriching(client, session, user_id, placed.fresh, priority=AT_ONCE)
        added = placed.links.get(position)
        standing = added or shelf.find_link(bookmark, address)
    assert standing is not None  # noqa: S101 - one of the two is there: it is unique
    return Added(UUID(standing), added is not None)


def cancel_import(client: lh.Client, database: Database, user_id: str, import_id: UUID) -> lh.State:
    """Stop an import; what is in stays. Returns its state, which is `running` until it has ended.

    `ImportNotFound` when it is none of this user's.
    """
    with database.read() as connection:
        row = imports.get(connection, import_id)
    if row is None or row["user_id"] != user_id:
        raise ImportNotFound(import_id)
    state = client.cancel(import_id, by=user_id)
    if state.is_final:  # else the worker that stops drops it
        with database.write() as connection:
            imports.drop_file(connection, import_id)
    return state
