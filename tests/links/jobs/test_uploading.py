"""Uploads: a file and its import are written together, or nothing is; and imports are cancelled."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links.bookmarks.values import NotBookmarks
from leasehold_links.errors import FileTooLarge, ImportNotFound
from leasehold_links.uploading import cancel_import, start_import
from tests.links.dialects import CHROME
from tests.links.jobs.kit import counts, import_row, rows, run_imports


def pieces(data: bytes, size: int = 100) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def start(client: lh.Client, database: Database, data: bytes = CHROME.encode()) -> UUID:
    return start_import(client, database, "ada", "my\x00 bookmarks.html", pieces(data))


def nothing_is_written(client: lh.Client, database: Database) -> bool:
    tables = ("links_import", "links_upload")
    written = [rows(database, f"SELECT count(*) FROM {name}")[0][0] for name in tables]  # noqa: S608 - our own names
    return written == [0, 0] and client.find() == []


def test_an_uploaded_file_is_imported(client: lh.Client, database: Database) -> None:
    import_id = start(client, database)
    run_imports(client)
    row = import_row(database, import_id)
    assert (row["imported_items"], row["file_name"]) == (3, "my bookmarks.html")
    assert row["file_bytes"] == len(CHROME.encode())
    assert rows(database, "SELECT count(*) FROM links_upload") == [(0,)]


def test_a_file_over_the_limit_is_refused_as_soon_as_it_is(
    client: lh.Client, database: Database
) -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield CHROME.encode()

    with pytest.raises(FileTooLarge, match="larger than") as caught:
        start_import(client, database, "ada", "x.html", endless(), limit_bytes=100 * 1_024)
    assert caught.value.limit_bytes == 102_400
    assert taken == 102_400 // len(CHROME.encode()) + 1
    assert nothing_is_written(client, database)


@pytest.mark.parametrize(
    ("data", "reason"), [(b"", "empty"), (b'{"roots": {}}', "json"), (b"words", "text")]
)
def test_what_is_no_bookmark_file_is_refused_at_once(
    client: lh.Client, database: Database, data: bytes, reason: str
) -> None:
    with pytest.raises(NotBookmarks) as caught:
        start(client, database, data)
    assert caught.value.reason == reason
    assert nothing_is_written(client, database)


def test_a_sender_that_breaks_off_leaves_nothing(client: lh.Client, database: Database) -> None:
    def broken() -> Iterator[bytes]:
        yield CHROME.encode()
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        start_import(client, database, "ada", "x.html", broken())
    assert nothing_is_written(client, database)


def test_an_import_that_waits_is_cancelled_with_its_file(
    client: lh.Client, database: Database
) -> None:
    import_id = start(client, database)
    assert cancel_import(client, database, "ada", import_id) == "cancelled"
    run_imports(client)
    assert counts(database) == (0, 0, 0)
    assert rows(database, "SELECT status FROM import_jobs") == [("canceled",)]
    assert rows(database, "SELECT count(*) FROM links_upload") == [(0,)]


def test_nobody_cancels_another_ones_import(client: lh.Client, database: Database) -> None:
    import_id = start(client, database)
    with pytest.raises(ImportNotFound):
        cancel_import(client, database, "bob", import_id)
    assert client.get(import_id).state == "queued"
