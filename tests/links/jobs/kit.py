"""Imports and enrichments as a user makes them, in a few words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select, text

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links.bookmarks.decoding import in_chunks
from leasehold_links.data import imports
from leasehold_links.data.tables import canonical, import_item, link
from leasehold_links.model.addresses import read_address
from leasehold_links.tasks import enrich, import_file

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def begin_import(client: lh.Client, database: Database, data: bytes, user: str = "ada") -> UUID:
    import_id = client.ids.next()
    with database.write() as connection:
        imports.create(
            connection,
            import_id,
            user_id=user,
            file_name="bookmarks.html",
            data=in_chunks(data, max(1_000, len(data) // 100)),
            now=NOW,
        )
        client.on(connection).enqueue(import_file.with_options(id=import_id), import_id, user)
    return import_id


def run_imports(client: lh.Client) -> None:
    lh.Worker(client, [import_file]).run(until_empty=True)


def rows(database: Database, query: str, **given: Any) -> list[Any]:
    with database.read() as connection:
        return [tuple(row) for row in connection.execute(text(query), given)]


def counts(database: Database) -> tuple[int, int, int]:
    """Folders, canonical links and placements."""
    names = ("links_folder", "links_canonical", "links_link")
    one, two, three = (rows(database, f"SELECT count(*) FROM {name}")[0][0] for name in names)  # noqa: S608 - our own names
    return one, two, three


def import_row(database: Database, import_id: UUID) -> dict[str, Any]:
    with database.read() as connection:
        row = imports.get(connection, import_id)
    assert row is not None
    return row


def items(database: Database, import_id: UUID) -> list[tuple[int, str]]:
    columns = import_item.c
    with database.read() as connection:
        found = connection.execute(
            select(columns.number, columns.reason)
            .where(columns.import_id == import_id)
            .order_by(columns.number)
        )
        return [(number, reason) for number, reason in found]


def enrich_urls(client: lh.Client, database: Database, *urls: str) -> dict[str, dict[str, Any]]:
    """Import these addresses and enrich them; returns what is known of each then."""
    entries = "".join(f'<DT><A HREF="{url}">x</A>' for url in urls)
    begin_import(
        client, database, f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>{entries}</DL>".encode()
    )
    run_imports(client)
    lh.Worker(client, [enrich]).run(until_empty=True)
    return {url: known(database, url) for url in urls}


def known(database: Database, url: str) -> dict[str, Any]:
    with database.read() as connection:
        row = connection.execute(
            select(canonical).where(canonical.c.key_hash == read_address(url).key_hash)
        )
        return dict(row.mappings().one())


def titles(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.scalars(select(link.c.title).order_by(link.c.position)))
