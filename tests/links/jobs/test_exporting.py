"""Exports: what is imported, exported and imported again into an empty library is the same."""

from __future__ import annotations

from typing import Any

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links import exporting
from leasehold_links.exporting import export_bookmarks
from tests.links.dialects import CHROME, EDGE, FIREFOX, ICON, INTERNET_EXPLORER, POCKET, SAFARI
from tests.links.jobs.kit import begin_import, rows, run_imports

MIXED = f"""<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p>
    <DT><A HREF="https://example.com/0">between</A>
    <DT><H3>A &amp; &lt;b&gt;</H3>
    <DL><p>
        <DT><A HREF="https://example.com/1" ADD_DATE="1685620800" TAGS="a b,c&amp;d" ICON="{ICON}">One</A>
        <DD>A description &lt;script&gt; of &quot;one&quot;
        <DT><H3></H3>
        <DL><p>
            <DT><A HREF="https://example.com/2?b=2&amp;a=1#!/x">두 번째 \U0001f600</A>
        </DL><p>
        <DT><A HREF="http://ada:secret@example.com/3"></A>
    </DL><p>
    <DT><A HREF="https://example.com/4">folders</A>
    <DT><H3 PERSONAL_TOOLBAR_FOLDER="true">Bar</H3>
    <DL><p>
        <DT><A HREF="https://example.com/0">between</A>
        <DT><H3>A &amp; &lt;b&gt;</H3>
        <DL><p><DT><A HREF="https://example.com/5">five</A></DL><p>
    </DL><p>
    <DT><A HREF="https://xn--bcher-kva.example.com/%C3%BC?q=%20">last</A>
</DL>
"""  # noqa: E501 - browsers do not break their lines


def export(database: Database, user_id: str) -> str:
    return "".join(export_bookmarks(database, user_id))


def stored(database: Database, user_id: str) -> list[Any]:
    """Return all that a library holds, in the order of its folders and of the links in each."""
    return rows(
        database,
        "SELECT f.root, f.path, l.url, l.title, l.description, l.added_at, l.icon,"
        " CAST(l.tags AS text) FROM links_link AS l JOIN links_folder AS f ON f.id = l.folder_id"
        " WHERE l.user_id = :user_id ORDER BY f.root, f.path, l.position",
        user_id=user_id,
    )


@pytest.mark.parametrize(
    "text",
    [CHROME, EDGE, FIREFOX, SAFARI, INTERNET_EXPLORER, POCKET, MIXED],
    ids=["chrome", "edge", "firefox", "safari", "ie", "pocket", "mixed"],
)
def test_an_export_imports_as_what_it_was(client: lh.Client, database: Database, text: str) -> None:
    begin_import(client, database, text.encode(), "ada")
    run_imports(client)
    first = export(database, "ada")
    begin_import(client, database, first.encode(), "bob")
    run_imports(client)
    assert stored(database, "bob") == stored(database, "ada") != []
    assert export(database, "bob") == first  # also which comes first of a folder and a link


def test_a_second_file_stands_behind_the_first(client: lh.Client, database: Database) -> None:
    entry = '<DL><DT><A HREF="https://example.com/{}">{}</A></DL>'
    for name in ("first", "second", "third"):
        begin_import(client, database, entry.format(name, name).encode())
        run_imports(client)
    assert [row[3] for row in stored(database, "ada")] == ["first", "second", "third"]


def test_a_long_folder_is_read_page_by_page(
    client: lh.Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "_PAGE", 3)
    entries = "".join(f'<DT><A HREF="https://example.com/{n}">{n}</A>' for n in range(10))
    begin_import(client, database, f"<DL>{entries}</DL>".encode())
    run_imports(client)
    text = export(database, "ada")
    assert [text.index(f">{n}</A>") for n in range(10)] == sorted(
        text.index(f">{n}</A>") for n in range(10)
    )


def test_an_empty_library_is_an_empty_file(database: Database) -> None:
    assert export(database, "nobody").startswith("<!DOCTYPE NETSCAPE-Bookmark-file-1>")
    assert "HREF" not in export(database, "nobody")
