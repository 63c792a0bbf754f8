"""Imports: every line is counted once, whatever happens in between."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Any

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links import importing
from leasehold_links.bookmarks import lines
from leasehold_links.bookmarks.beside import reading_beside
from leasehold_links.data import imports
from leasehold_links.tasks import import_file
from leasehold_links.uploading import cancel_import
from tests.faults.waiting import wait_for
from tests.links.dialects import CHROME, FIREFOX
from tests.links.jobs.kit import begin_import, counts, import_row, items, rows, run_imports
from tests.links.readers import readers

if TYPE_CHECKING:
    from uuid import UUID

    import pytest


def many(number: int) -> bytes:
    entries = "".join(
        f'<DT><A HREF="https://example.com/{each}">{each}</A>' for each in range(number)
    )
    return f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>{entries}</DL>".encode()


def test_a_file_becomes_folders_links_and_enrichments(
    client: lh.Client, database: Database
) -> None:
    import_id = begin_import(client, database, CHROME.encode())
    run_imports(client)
    row = import_row(database, import_id)
    assert (row["total_items"], row["imported_items"], row["skipped_items"]) == (4, 3, 1)
    assert items(database, import_id) == [(3, "scheme:javascript")]
    assert counts(database) == (3, 3, 3)
    assert client.get(import_id).result == {
        "imported": 3,
        "duplicate": 0,
        "skipped": 1,
        "failed": 0,
    }
    assert len(client.find(kind="links.enrich")) == 3


def test_the_same_file_again_makes_nothing(client: lh.Client, database: Database) -> None:
    begin_import(client, database, FIREFOX.encode())
    run_imports(client)
    before, jobs = counts(database), len(client.find(kind="links.enrich"))
    again = begin_import(client, database, FIREFOX.encode())
    run_imports(client)
    row = import_row(database, again)
    assert (row["imported_items"], row["duplicate_items"], row["skipped_items"]) == (0, 4, 1)
    assert [reason for _, reason in items(database, again)] == ["scheme:place", *["in_folder"] * 4]
    assert counts(database) == before
    assert len(client.find(kind="links.enrich")) == jobs


def test_two_people_share_what_is_public_and_nothing_else(
    client: lh.Client, database: Database
) -> None:
    data = b'<DL><DT><A HREF="https://example.com/">a</A><DT><A HREF="http://nas/">b</A></DL>'
    begin_import(client, database, data, "ada")
    begin_import(client, database, data, "bob")
    run_imports(client)
    assert counts(database) == (2, 3, 4)


def test_an_import_goes_on_where_it_was_stopped(
    client: lh.Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "STEP", 10)
    import_id = begin_import(client, database, many(95))
    real, steps = importing.store_lines, []

    def break_once(*given: Any, **named: Any) -> Any:
        steps.append(given[2][0].number)
        done = real(*given, **named)
        if len(steps) == 3:
            raise OSError("the disk is away for a moment")  # after the writes, before the commit
        return done

    monkeypatch.setattr(importing, "store_lines", break_once)
    run_imports(client)
    assert client.get(import_id).state == "failed"
    client.retry(import_id)  # now, not in a while
    run_imports(client)
    row = import_row(database, import_id)
    assert (row["total_items"], row["imported_items"]) == (95, 95)
    assert counts(database)[1:] == (95, 95)
    assert steps == [0, 10, 50, 50, 60]  # the first step of an attempt is a small one


def test_a_large_file_is_read_by_a_process_of_its_own_where_the_database_is_none(
    client: lh.Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "LARGE_BYTES", 0)
    seen: list[int] = []
    real = importing.store_lines

    def look(*given: Any, **named: Any) -> Any:
        seen.extend(readers())
        return real(*given, **named)

    monkeypatch.setattr(importing, "store_lines", look)
    begin_import(client, database, many(12_000))
    run_imports(client)
    assert bool(seen) == database.is_sqlite
    assert counts(database)[1:] == (12_000, 12_000)


def test_a_process_that_reads_for_an_import_may_die(
    client: lh.Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def beside(database: Database, import_id: UUID, _size: int, start: int) -> Any:
        return reading_beside(imports.chunks(database, import_id), start)

    monkeypatch.setattr(importing, "reading", beside)
    import_id = begin_import(client, database, many(12_000))
    real = importing.store_lines
    died: list[int] = []

    def kill_the_reader(*given: Any, **named: Any) -> Any:
        if not died:
            died.extend(readers())
            os.kill(died[0], signal.SIGKILL)
        return real(*given, **named)

    monkeypatch.setattr(importing, "store_lines", kill_the_reader)
    run_imports(client)
    job = client.get(import_id)
    assert (job.state, "ReaderDied" in (job.error or "")) == ("failed", True)
    client.retry(import_id)
    run_imports(client)
    row = import_row(database, import_id)
    assert (row["total_items"], row["imported_items"]) == (12_000, 12_000)
    assert not readers()


def test_what_is_no_bookmark_file_ends_with_a_reason(client: lh.Client, database: Database) -> None:
    import_id = begin_import(client, database, b'{"roots": {}}')
    run_imports(client)
    job = client.get(import_id)
    assert (job.state, "JSON" in (job.error or "")) == ("dead", True)
    assert counts(database) == (0, 0, 0)


def test_the_views_of_the_seed(client: lh.Client, database: Database) -> None:
    import_id = begin_import(client, database, CHROME.encode())
    (before,) = rows(database, "SELECT status, total_items FROM import_jobs")
    assert before == ("queued", 0)
    run_imports(client)
    (after,) = rows(
        database,
        "SELECT status, total_items, processed_items, failed_items, user_id, source_type,"
        " last_error FROM import_jobs",
    )
    assert after == ("succeeded", 4, 4, 0, "ada", "chrome_html", None)
    found = rows(
        database,
        "SELECT status, attempts, max_attempts, link_canonical_id FROM enrichment_jobs",
    )
    assert [row[:3] for row in found] == [("queued", 0, 2)] * 3
    assert len({row[3] for row in found}) == 3
    assert client.get(import_id).state == "succeeded"


def test_a_running_import_is_cancelled_and_keeps_what_is_in(
    client: lh.Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "STEP", 10)
    import_id = begin_import(client, database, many(50_000))
    seen: list[int] = []
    with lh.Worker(client, [import_file]):
        wait_for("progress", lambda: _processed(database, import_id, seen) > 0, 30)
        assert cancel_import(client, database, "ada", import_id) == "running"
        asked = time.monotonic()
        wait_for("the end", lambda: client.get(import_id).state == "cancelled", 30)
        seconds = time.monotonic() - asked
    row = import_row(database, import_id)
    assert 0 < row["imported_items"] < row["total_items"] == 50_000
    assert counts(database)[1:] == (row["imported_items"], row["imported_items"])
    assert rows(database, "SELECT status FROM import_jobs") == [("canceled",)]
    assert rows(database, "SELECT count(*) FROM links_upload") == [(0,)]
    assert seconds < 10  # promised is one, on a machine that does nothing else
    client.retry(import_id)  # by hand: its file is gone by now
    run_imports(client)
    assert "import it again" in (client.get(import_id).error or "")


def test_a_step_that_begins_after_the_cancel_writes_nothing(
    client: lh.Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "STEP", 10)
    import_id = begin_import(client, database, many(100))
    take_step = importing.Importer._take_step

    def cancelled_before(importer: importing.Importer, step: importing.Step) -> None:
        if step.lines[0].number:
            cancel_import(client, database, "ada", import_id)
        take_step(importer, step)

    monkeypatch.setattr(importing.Importer, "_take_step", cancelled_before)
    run_imports(client)
    assert rows(database, "SELECT status FROM import_jobs") == [("canceled",)]
    assert counts(database)[1:] == (10, 10)


def _processed(database: Database, import_id: UUID, seen: list[int]) -> int:
    seen.append(imports.counts_of(import_row(database, import_id)).processed)
    assert seen == sorted(seen)
    return seen[-1]


def test_of_addresses_that_are_one_link_the_first_is_fetched(
    client: lh.Client, database: Database
) -> None:
    same = [
        "http://example.com/a/",
        "https://www.example.com/a?utm_source=x",
        "https://example.com/a",
    ]
    entries = "".join(f'<DT><A HREF="{url}">x</A>' for url in same)
    begin_import(client, database, f"<DL>{entries}</DL>".encode())
    run_imports(client)
    assert rows(database, "SELECT url FROM links_canonical") == [(same[0],)]
