"""Lines of imports: each is counted once, and each that is not in the library says why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import text

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links.bookmarks.values import Bookmark, Root
from leasehold_links.model.addresses import NotFetchable
from leasehold_links.uploading import add_link
from tests.links.jobs.kit import begin_import, counts, import_row, items, rows, run_imports

HEAD = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>"
COUNTED = ("total_items", "imported_items", "duplicate_items", "skipped_items", "failed_items")


def entries(*urls: str) -> bytes:
    return (HEAD + "".join(f'<DT><A HREF="{url}">{url}</A>\n' for url in urls)).encode()


def counted(database: Database, import_id: object) -> tuple[int, ...]:
    row = import_row(database, import_id)  # type: ignore[arg-type] # an id
    return tuple(row[name] for name in COUNTED)


@contextmanager
def refusing(database: Database, url: str) -> Iterator[None]:
    """Let the database refuse one link, as a full disk or a broken index might."""
    made = (
        f"CREATE TRIGGER refused BEFORE INSERT ON links_link WHEN NEW.url = '{url}'"
        " BEGIN SELECT RAISE(ABORT, 'refused'); END"
        if database.is_sqlite
        else f"ALTER TABLE links_link ADD CONSTRAINT refused CHECK (url <> '{url}')"
    )
    execute(database, made)
    yield
    if not database.is_sqlite:
        execute(database, "ALTER TABLE links_link DROP CONSTRAINT refused")


def execute(database: Database, statement: str) -> None:
    with database.write() as connection:
        connection.execute(text(statement))


def test_every_kind_of_address_that_is_none_says_so(client: lh.Client, database: Database) -> None:
    bad = {
        "javascript:alert(1)": "scheme:javascript",
        "data:text/html,x": "scheme:data",
        "file:///etc/passwd": "scheme:file",
        "chrome://settings/": "scheme:chrome",
        "about:blank": "scheme:about",
        "place:sort=8": "scheme:place",
        "ftp://example.com/x": "scheme:ftp",
        "mailto:ada@example.com": "scheme:mailto",
        "": "no_address",
        "/relative": "malformed",
        "https://": "malformed",
        f"https://{'a' * 64}.com/": "malformed",
        f"https://{'a.' * 150}com/": "malformed",
        "https://example.com/" + "x" * 9_000: "too_long",
    }
    import_id = begin_import(client, database, entries("https://example.com/", *bad))
    run_imports(client)
    assert items(database, import_id) == list(enumerate(bad.values(), 1))
    assert counted(database, import_id) == (len(bad) + 1, 1, 0, len(bad), 0)


def test_a_line_twice_in_a_folder_is_a_duplicate(client: lh.Client, database: Database) -> None:
    data = entries("https://example.com/a", "http://www.example.com/a/?utm_source=x")
    import_id = begin_import(client, database, data)
    run_imports(client)
    assert counted(database, import_id) == (2, 1, 1, 0, 0)
    assert items(database, import_id) == [(1, "repeated")]


def test_a_line_that_can_not_be_stored_costs_no_other(
    client: lh.Client, database: Database
) -> None:
    data = entries("https://a.com/", "https://b.com/", "https://c.com/", "about:x")
    import_id = begin_import(client, database, data)
    with refusing(database, "https://b.com/"):
        run_imports(client)
    assert counted(database, import_id) == (4, 2, 0, 1, 1)
    ((number, reason), skipped) = items(database, import_id)
    assert (number, reason.partition(":")[0], skipped) == (1, "refused", (3, "scheme:about"))
    assert client.get(import_id).state == "succeeded"
    assert counts(database) == (1, 2, 2)
    assert len(client.find(kind="links.enrich")) == 2


@pytest.mark.parametrize(
    ("data", "said", "numbers"),
    [
        (entries("about:blank", "javascript:1"), "no line", (2, 0, 0, 2, 0)),
        (entries(), "no bookmark", (0, 0, 0, 0, 0)),
    ],
)
def test_an_import_of_which_nothing_came_fails(
    client: lh.Client, database: Database, data: bytes, said: str, numbers: tuple[int, ...]
) -> None:
    import_id = begin_import(client, database, data)
    run_imports(client)
    ((status, error),) = rows(database, "SELECT status, last_error FROM import_jobs")
    assert (status, said in error) == ("failed", True)
    assert counted(database, import_id) == numbers
    assert rows(database, "SELECT count(*) FROM links_upload") == [(0,)]


def test_the_total_is_corrected_when_reading_sees_it_differently(
    client: lh.Client, database: Database
) -> None:
    fewer = begin_import(
        client,
        database,
        entries("https://a.com/") + b'<!-- <A HREF="https://b.com/">not one</A> <a > -->',
    )
    run_imports(client)
    assert counted(database, fewer)[:2] == (1, 1)
    saved = client.checkpoint(fewer)
    assert saved is not None
    assert (saved.done, saved.total) == (1, 1)


def test_folders_with_names_longer_than_an_index_takes(
    client: lh.Client, database: Database
) -> None:
    names = [f"{number:03}" + chr(0x4E00 + 37 * number) * 190 for number in range(45)]
    deep = "".join(f"<DT><H3>{name}</H3><DL><p>" for name in names)
    import_id = begin_import(
        client, database, f'{HEAD}{deep}<DT><A HREF="https://a.com/">x</A>'.encode()
    )
    run_imports(client)
    assert counted(database, import_id)[:2] == (1, 1)
    assert counts(database) == (46, 1, 1)


def test_one_link_is_added_once(client: lh.Client, database: Database) -> None:
    one = Bookmark(url="https://example.com/", title=" A\x00 b ", folder=("x", "y"))
    first = add_link(client, database, "ada", one)
    again = add_link(client, database, "ada", one)
    assert (first.is_new, again.is_new, first.link_id == again.link_id) == (True, False, True)
    toolbar = add_link(client, database, "ada", Bookmark(url=one.url, root=Root.TOOLBAR))
    assert (toolbar.is_new, counts(database)) == (True, (4, 1, 2))
    assert rows(database, "SELECT title FROM links_link ORDER BY position") == [("A b",), ("",)]
    ((job_id, status),) = rows(database, "SELECT id, status FROM enrichment_jobs")
    assert (client.get(job_id).kind, status) == ("links.enrich", "queued")
    with pytest.raises(NotFetchable):
        add_link(client, database, "ada", Bookmark(url="javascript:1"))
