"""The rows of nodes: where a tenant's papers are filed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from sqlalchemy import insert, select

from leasehold_documents.data.tables import nodes

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_documents.model.filing import Place


def add_tree(
    connection: Connection, tenant_id: UUID, places: Sequence[Place], now: datetime
) -> None:
    """Write a tree for a tenant, parents before what is below them."""
    rows = [*_rows(places, {"tenant_id": tenant_id, "parent_id": None, "created_at": now})]
    if rows:
        connection.execute(insert(nodes), rows)


def _rows(places: Sequence[Place], common: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for place in places:
        node_id = uuid4()
        yield {**common, "id": node_id, "name": place.name, "doc_type": place.doc_type}
        yield from _rows(place.below, {**common, "parent_id": node_id})


def find(connection: Connection, tenant_id: UUID) -> list[dict[str, Any]]:
    """List a tenant's nodes by name."""
    wanted = select(nodes).where(nodes.c.tenant_id == tenant_id).order_by(nodes.c.name, nodes.c.id)
    return [dict(row) for row in connection.execute(wanted).mappings()]
