"""What pages show of a library: folders, links and their enrichment, one page at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from sqlalchemy import func, select

from leasehold.kit.data import Page, page_of
from leasehold_links.data.matching import matches
from leasehold_links.data.seen import enrichment_jobs
from leasehold_links.data.tables import canonical, folder, link

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

Row = dict[str, Any]
_LINK = (
    link.c.id,
    link.c.folder_id,
    link.c.canonical_id,
    link.c.url,
    link.c.title.label("own_title"),
    link.c.description.label("own_description"),
    link.c.tags,
    link.c.icon,
    link.c.added_at,
    link.c.created_at,
    canonical.c.title.label("page_title"),
    canonical.c.description.label("page_description"),
    canonical.c.image,
    canonical.c.favicon,
    canonical.c.site_name,
    canonical.c.language,
    canonical.c.content_type,
    canonical.c.final_url,
    canonical.c.host,
    canonical.c.domain,
    canonical.c.reason,
    canonical.c.status.label("http_status"),
    canonical.c.fetched_at,
    canonical.c.job_id,
)


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which links; None does not restrict."""

    folder_id: UUID | None = None
    words: tuple[str, ...] = ()  # all of them, in whatever is known of a link
    tag: str | None = None
    domain: str | None = None


def folders_of(connection: Connection, user_id: str) -> list[Row]:
    """List somebody's folders with how many links are in each, those above before those below."""
    counts = (
        select(link.c.folder_id, func.count().label("links"))
        .where(link.c.user_id == user_id)
        .group_by(link.c.folder_id)
        .subquery()
    )
    found = connection.execute(
        select(
            folder.c.id,
            folder.c.parent_id,
            folder.c.root,
            folder.c.path,
            folder.c.name,
            func.coalesce(counts.c.links, 0).label("links"),
        )
        .outerjoin(counts, counts.c.folder_id == folder.c.id)
        .where(folder.c.user_id == user_id)
    ).mappings()
    rows = [row | {"names": msgspec.json.decode(row["path"])} for row in map(dict, found)]
    return sorted(rows, key=lambda row: (_ROOTS.index(row["root"]), row["names"]))


_ROOTS = ["toolbar", "menu", "unfiled"]  # as browsers show them


def folder_of(connection: Connection, user_id: str, folder_id: UUID) -> Row | None:
    """Return a folder; None when it is nobody's or somebody else's."""
    found = connection.execute(
        select(folder.c.id, folder.c.root, folder.c.path, folder.c.name, folder.c.parent_id).where(
            folder.c.id == folder_id, folder.c.user_id == user_id
        )
    )
    row = found.mappings().first()
    return None if row is None else {**row, "names": msgspec.json.decode(row["path"])}


def links_of(
    connection: Connection,
    user_id: str,
    wanted: Wanted,
    *,
    after: UUID | None,
    limit: int,
    is_newest_first: bool,
) -> Page:
    """Read a page of somebody's links. By the index of the folder, else by that of the user."""
    query = _links(user_id)
    if wanted.folder_id is not None:
        query = query.where(link.c.folder_id == wanted.folder_id)
    if wanted.domain is not None:
        query = query.where(canonical.c.domain == wanted.domain)
    is_sqlite = connection.dialect.name == "sqlite"
    for each in matches(wanted.words, wanted.tag, is_sqlite=is_sqlite):
        query = query.where(each)
    if after is not None:
        query = query.where(link.c.id < after if is_newest_first else link.c.id > after)
    order = link.c.id.desc() if is_newest_first else link.c.id
    return page_of(connection, query.order_by(order), limit)


def _links(user_id: str) -> Select[Any]:
    return select(*_LINK).join(canonical).where(link.c.user_id == user_id)


def link_of(connection: Connection, user_id: str, link_id: UUID) -> Row | None:
    """Return a link; None when it is nobody's or somebody else's."""
    row = connection.execute(_links(user_id).where(link.c.id == link_id)).mappings().first()
    return None if row is None else dict(row)


def places_of(connection: Connection, user_id: str, canonical_id: UUID) -> list[Row]:
    """List the folders in which somebody has the same link."""
    found = connection.execute(
        select(link.c.id, link.c.folder_id, folder.c.root, folder.c.path)
        .join(folder)
        .where(link.c.canonical_id == canonical_id, link.c.user_id == user_id)
        .order_by(link.c.id)
    ).mappings()
    return [row | {"names": msgspec.json.decode(row["path"])} for row in map(dict, found)]


def states_of(connection: Connection, canonical_ids: Iterable[UUID]) -> dict[UUID, Row]:
    """Read how the enrichment of these links stands."""
    ids: Sequence[UUID] = list(set(canonical_ids))
    if not ids:
        return {}
    columns = enrichment_jobs.c
    found = connection.execute(
        select(enrichment_jobs).where(columns.link_canonical_id.in_(ids))
    ).mappings()
    return {row["link_canonical_id"]: dict(row) for row in found}


def states_of_links(
    connection: Connection, user_id: str, link_ids: Iterable[UUID]
) -> dict[UUID, Row]:
    """Read how the enrichment of these links of somebody stands, and why it is no further."""
    columns = enrichment_jobs.c
    found = connection.execute(
        select(link.c.id, columns.status, columns.attempts, canonical.c.reason)
        .join(canonical, canonical.c.id == link.c.canonical_id)
        .join(enrichment_jobs, columns.link_canonical_id == canonical.c.id)
        .where(link.c.user_id == user_id, link.c.id.in_(list(link_ids)))
    ).mappings()
    return {row["id"]: dict(row) for row in found}
