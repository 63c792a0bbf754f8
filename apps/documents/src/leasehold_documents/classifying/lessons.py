"""What people decided about papers, kept beside each paper: what is deleted is unlearnt."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from sqlalchemy import delete, select

from leasehold.kit.data import upsert
from leasehold_documents.classifying.bayes import Lesson, features
from leasehold_documents.data.tables import lessons

if TYPE_CHECKING:
    from sqlalchemy import Connection

MOST: Final = 400  # lessons of a tenant that count: the latest


def learn(
    connection: Connection,
    tenant_id: UUID,
    document_id: UUID,
    *,
    doc_type: str,
    text: str,
    now: datetime,
) -> None:
    """Keep what somebody decided, instead of what they had decided before."""
    row = {"tenant_id": tenant_id, "document_id": document_id, "doc_type": doc_type}
    row |= {"words": features(text), "learnt_at": now}
    upsert(connection, lessons, row, key=("document_id",), keep=("tenant_id",))


def unlearn(connection: Connection, tenant_id: UUID, document_id: UUID) -> None:
    """Forget what a paper taught."""
    whose = (lessons.c.tenant_id == tenant_id, lessons.c.document_id == document_id)
    connection.execute(delete(lessons).where(*whose))


def latest(connection: Connection, tenant_id: UUID) -> list[Lesson]:
    """Read a tenant's latest lessons."""
    wanted = (
        select(lessons.c.doc_type, lessons.c.words)
        .where(lessons.c.tenant_id == tenant_id)
        .order_by(lessons.c.learnt_at.desc(), lessons.c.document_id)
        .limit(MOST)
    )
    return [Lesson(row.doc_type, row.words) for row in connection.execute(wanted)]
