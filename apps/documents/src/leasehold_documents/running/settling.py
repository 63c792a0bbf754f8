"""The end of an extraction that came to nothing: its state and the money, together."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from leasehold_documents.data import documents, extractions, ledger

if TYPE_CHECKING:
    from sqlalchemy import Connection

_CODED = re.compile(r"(?:Dead: )?([A-Z][A-Z0-9_]{3,}): (.*)", re.DOTALL)
_PLAIN = {"failed": "EXTRACTION_FAILED", "cancelled": "CANCELLED"}


class Reason(NamedTuple):
    """Why it ended: for programs, and for people."""

    code: str | None
    message: str | None


WITHDRAWN = Reason("CONSENT_WITHDRAWN", "the consent was withdrawn")
DELETED = Reason("DOCUMENT_DELETED", "the document was deleted")
LEFT = Reason("MEMBERSHIP_REMOVED", "who agreed to it is no member any more")


def reason_of(error: str | None, status: str = "failed") -> Reason:
    """Read the code that a job's error begins with; others' errors have none of ours."""
    coded = _CODED.match(error or "")
    return Reason(coded[1], coded[2]) if coded else Reason(_PLAIN[status], error)


def settle(
    connection: Connection,
    extraction: dict[str, Any],
    status: str,
    reason: Reason,
    now: datetime,
) -> bool:
    """End it as failed or cancelled, and give back what was reserved; False when it had ended."""
    is_first = extractions.end(
        connection,
        extraction["tenant_id"],
        extraction["id"],
        status,
        code=reason.code,
        message=reason.message,
        now=now,
    )
    if is_first:
        ledger.refund(connection, _what(connection, extraction), now)
    return is_first


def what_of(extraction: dict[str, Any], document: dict[str, Any]) -> ledger.What:
    """Say what is paid for."""
    return ledger.What(
        extraction["tenant_id"], extraction["id"], document["sha256"], extraction["engine"]
    )


def _what(connection: Connection, extraction: dict[str, Any]) -> ledger.What:
    tenant_id: UUID = extraction["tenant_id"]
    document = documents.get(connection, tenant_id, extraction["document_id"])
    return what_of(extraction, document or {"sha256": ""})
