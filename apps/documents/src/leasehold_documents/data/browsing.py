"""What people read of a tenant: papers by page, how they were read, where they are filed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from uuid import UUID

from sqlalchemy import and_, func, or_, select

from leasehold.kit.data import Page, page_of
from leasehold_documents.data.tables import (
    connectors,
    document_chunks,
    documents,
    extractions,
    nodes,
    suggestions,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select, Table, TableClause

Row = dict[str, Any]
Place = Literal["all", "inbox", "filed"]


class Wanted(NamedTuple):
    """Which papers; what is None does not matter. `inbox`: those that nobody has filed."""

    place: Place = "all"
    node_id: UUID | None = None
    doc_type: str | None = None
    name: str = ""  # a part of it


def papers(
    connection: Connection, tenant_id: UUID, wanted: Wanted, *, before: UUID | None, limit: int
) -> Page:
    """Read papers, newest first, each with its last extraction and what it is thought to be."""
    query = select(documents).where(documents.c.tenant_id == tenant_id)
    query = newest_first(connection, tenant_id, _narrowed(query, wanted), documents, before)
    page = page_of(connection, query, limit)
    return Page(_furnished(connection, tenant_id, page.rows), page.next)


def paper(connection: Connection, tenant_id: UUID, document_id: UUID) -> Row | None:
    """Read one of them."""
    is_it = (documents.c.tenant_id == tenant_id) & (documents.c.id == document_id)
    rows = _rows(connection, select(documents).where(is_it))
    return next(iter(_furnished(connection, tenant_id, rows)), None)


def extractions_of(connection: Connection, tenant_id: UUID, document_id: UUID) -> list[Row]:
    """Read all extractions of a paper, newest first."""
    is_it = (extractions.c.tenant_id == tenant_id) & (extractions.c.document_id == document_id)
    newest = (extractions.c.created_at.desc(), extractions.c.id.desc())
    return _rows(connection, select(extractions).where(is_it).order_by(*newest))


def chunks_of(
    connection: Connection,
    tenant_id: UUID,
    extraction_id: UUID | None,
    *,
    after: int | None,
    limit: int,
) -> Page:
    """Read the text of an extraction, in the order of the paper."""
    is_it = (document_chunks.c.tenant_id == tenant_id) & (
        document_chunks.c.extraction_id == extraction_id
    )
    query = select(document_chunks).where(is_it).order_by(document_chunks.c.chunk_index)
    if after is not None:
        query = query.where(document_chunks.c.chunk_index > after)
    return page_of(connection, query, limit, key="chunk_index")


def pending_reviews(
    connection: Connection, tenant_id: UUID, *, before: UUID | None, limit: int
) -> Page:
    """Read papers that wait for somebody's word, newest first."""
    waits = select(suggestions.c.document_id).where(
        suggestions.c.tenant_id == tenant_id, suggestions.c.state == "review"
    )
    query = select(documents).where(documents.c.tenant_id == tenant_id, documents.c.id.in_(waits))
    page = page_of(connection, newest_first(connection, tenant_id, query, documents, before), limit)
    return Page(_furnished(connection, tenant_id, page.rows), page.next)


def nodes_of(connection: Connection, tenant_id: UUID) -> list[Row]:
    """Read where papers are filed: the tree, as a list in which what is below follows."""
    wanted = select(nodes).where(nodes.c.tenant_id == tenant_id).order_by(nodes.c.name, nodes.c.id)
    below: dict[UUID | None, list[Row]] = {}
    for row in _rows(connection, wanted):
        below.setdefault(row["parent_id"], []).append(row)
    return _walk(below, None, ())


def _walk(
    below: dict[UUID | None, list[Row]], parent: UUID | None, path: tuple[str, ...]
) -> list[Row]:
    found: list[Row] = []
    for row in below.get(parent, []):
        here = (*path, row["name"])
        found += [row | {"path": " / ".join(here)}, *_walk(below, row["id"], here)]
    return found


def connectors_of(connection: Connection, tenant_id: UUID) -> list[Row]:
    """Read the drives that papers come from."""
    wanted = select(connectors).where(connectors.c.tenant_id == tenant_id)
    return _rows(connection, wanted.order_by(connectors.c.created_at, connectors.c.id))


def inbox_count(connection: Connection, tenant_id: UUID) -> int:
    query = _narrowed(select(func.count()).select_from(documents), Wanted("inbox"))
    return int(connection.scalar(query.where(documents.c.tenant_id == tenant_id)) or 0)


def review_count(connection: Connection, tenant_id: UUID) -> int:
    waits = (suggestions.c.tenant_id == tenant_id) & (suggestions.c.state == "review")
    return int(connection.scalar(select(func.count()).select_from(suggestions).where(waits)) or 0)


def _narrowed(query: Select[Any], wanted: Wanted) -> Select[Any]:
    if wanted.place == "inbox":
        query = query.where(documents.c.node_id.is_(None))
    elif wanted.place == "filed":
        query = query.where(documents.c.node_id.is_not(None))
    if wanted.node_id is not None:
        query = query.where(documents.c.node_id == wanted.node_id)
    if wanted.doc_type is not None:
        query = query.where(documents.c.doc_type == wanted.doc_type)
    if wanted.name:
        query = query.where(documents.c.name.icontains(wanted.name, autoescape=True))
    return query


def newest_first(
    connection: Connection,
    tenant_id: UUID,
    query: Select[Any],
    table: Table | TableClause,
    before: UUID | None,
) -> Select[Any]:
    """Order rows by when they came; begin behind one, if it is still there."""
    at, key = table.c.created_at, table.c.id
    since = None
    if before is not None:
        is_it = (table.c.tenant_id == tenant_id) & (key == before)
        since = connection.scalar(select(at).where(is_it))
    if since is not None:
        query = query.where(or_(at < since, and_(at == since, key < before)))
    return query.order_by(at.desc(), key.desc())


def _furnished(connection: Connection, tenant_id: UUID, rows: list[Row]) -> list[Row]:
    """Put beside papers what else is known of each, by one look for all of them."""
    ids = [row["id"] for row in rows]
    wanted = select(extractions).where(
        extractions.c.tenant_id == tenant_id, extractions.c.document_id.in_(ids)
    )
    ordered = wanted.order_by(extractions.c.created_at, extractions.c.id)
    last = {row["document_id"]: row for row in _rows(connection, ordered)}
    thought = select(suggestions).where(
        suggestions.c.tenant_id == tenant_id, suggestions.c.document_id.in_(ids)
    )
    suggested = {row["document_id"]: row for row in _rows(connection, thought)}
    places = _names(connection, tenant_id, [row["node_id"] for row in rows])
    return [
        row
        | {
            "extraction": last.get(row["id"]),
            "suggestion": suggested.get(row["id"]),
            "node_name": places.get(row["node_id"]),
        }
        for row in rows
    ]


def _names(
    connection: Connection, tenant_id: UUID, ids: Sequence[UUID | None]
) -> dict[UUID | None, str]:
    wanted = {each for each in ids if each is not None}
    is_one = (nodes.c.tenant_id == tenant_id) & nodes.c.id.in_(wanted)
    found = connection.execute(select(nodes.c.id, nodes.c.name).where(is_one))
    return {row.id: row.name for row in found}


def _rows(connection: Connection, query: Select[Any]) -> list[Row]:
    return [dict(row) for row in connection.execute(query).mappings()]
