"""What people make of suggestions: each decision files the paper, and is learnt from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from sqlalchemy import select, update

from leasehold_documents.classifying import filing, lessons
from leasehold_documents.classifying.classify import node_for
from leasehold_documents.data.documents import hold
from leasehold_documents.data.tables import documents, nodes, suggestions
from leasehold_documents.errors import NotFound, Rejected

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

    from leasehold_documents.access import Access

LONGEST_TYPE: Final = 100  # characters
_OPEN: Final = ("review", "inbox")


def pending(
    access: Access, *, states: tuple[str, ...] = _OPEN, limit: int = 100
) -> list[dict[str, Any]]:
    """List papers that wait for somebody: those to review first, then the oldest.

    `confidence` is in thousandths; `doc_type` is None for a paper nobody could make anything of.
    """
    order = (suggestions.c.state.desc(), suggestions.c.created_at, suggestions.c.document_id)
    wanted = _shown(access.tenant_id).where(suggestions.c.state.in_(states)).order_by(*order)
    with access.read() as connection:
        return [_row(row) for row in connection.execute(wanted.limit(limit)).mappings()]


def get(access: Access, document_id: UUID) -> dict[str, Any] | None:
    """Show what is thought of one paper; None before it was classified."""
    wanted = _shown(access.tenant_id).where(suggestions.c.document_id == document_id)
    with access.read() as connection:
        found = connection.execute(wanted).mappings().one_or_none()
    return None if found is None else _row(found)


def accept(access: Access, document_id: UUID) -> None:
    """File a paper as it was suggested."""
    with access.write() as session:
        connection = session.connection()
        suggested = _suggestion(connection, access.tenant_id, document_id)
        if suggested["doc_type"] == filing.NO_TYPE:
            raise Rejected("NOTHING_SUGGESTED", "nothing was suggested for it: say what it is")
        _decide(
            connection,
            access,
            document_id,
            state="accepted",
            doc_type=suggested["doc_type"],
            node_id=suggested["node_id"],
        )


def correct(
    access: Access, document_id: UUID, doc_type: str, *, node_id: UUID | None = None
) -> None:
    """Say what a paper is instead; without a node it goes where such papers are filed."""
    doc_type = _type(doc_type)
    with access.write() as session:
        connection = session.connection()
        _suggestion(connection, access.tenant_id, document_id)
        if node_id is None:
            node_id = node_for(connection, access.tenant_id, doc_type)
        else:
            _check_node(connection, access.tenant_id, node_id)
        _decide(
            connection, access, document_id, state="corrected", doc_type=doc_type, node_id=node_id
        )


def reject(access: Access, document_id: UUID) -> None:
    """Say that a paper is not what was suggested, and leave it in the inbox without a type."""
    with access.write() as session:
        connection = session.connection()
        _suggestion(connection, access.tenant_id, document_id)
        _decide(connection, access, document_id, state="rejected", doc_type=None, node_id=None)


def _decide(
    connection: Connection,
    access: Access,
    document_id: UUID,
    *,
    state: str,
    doc_type: str | None,
    node_id: UUID | None,
) -> None:
    tenant_id, now = access.tenant_id, datetime.now(UTC)
    who = {"decided_by": access.user_id, "decided_at": now}
    decided: dict[str, Any] = {"state": state, "decided_type": doc_type, **who}
    whose = (suggestions.c.document_id == document_id, suggestions.c.tenant_id == tenant_id)
    connection.execute(update(suggestions).where(*whose).values(decided))
    filing.place(connection, tenant_id, document_id, doc_type=doc_type, node_id=node_id, now=now)
    if doc_type is None:
        lessons.unlearn(connection, tenant_id, document_id)
        return
    text = filing.text_of(connection, tenant_id, document_id)
    lessons.learn(connection, tenant_id, document_id, doc_type=doc_type, text=text, now=now)


def _shown(tenant_id: UUID) -> Select[Any]:
    return (
        select(suggestions, documents.c.name, nodes.c.name.label("node_name"))
        .join(documents, documents.c.id == suggestions.c.document_id)
        .outerjoin(nodes, nodes.c.id == suggestions.c.node_id)
        .where(suggestions.c.tenant_id == tenant_id)
    )


def _row(row: Any) -> dict[str, Any]:
    return dict(row) | {"doc_type": row["doc_type"] or None}


def _suggestion(connection: Connection, tenant_id: UUID, document_id: UUID) -> dict[str, Any]:
    # Who classifies it meanwhile waits, and finds it decided.
    hold(connection, tenant_id, document_id)
    wanted = select(suggestions).where(
        suggestions.c.document_id == document_id, suggestions.c.tenant_id == tenant_id
    )
    found = connection.execute(wanted).mappings().one_or_none()
    if found is None:
        raise NotFound("suggestion for document", document_id)
    return dict(found)


def _check_node(connection: Connection, tenant_id: UUID, node_id: UUID) -> None:
    wanted = select(nodes.c.id).where(nodes.c.id == node_id, nodes.c.tenant_id == tenant_id)
    if connection.scalar(wanted) is None:
        raise NotFound("node", node_id)


def _type(doc_type: str) -> str:
    tidy = " ".join(doc_type.split())
    if not 0 < len(tidy) <= LONGEST_TYPE:
        raise Rejected("BAD_TYPE", f"a type has 1 to {LONGEST_TYPE} characters")
    return tidy
