"""What an extraction costs, and who has agreed to it: estimate, consent, withdrawal, balance.

estimate ──> confirm: consent + reserve + job, in one transaction ──> booked, or given back
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from leasehold_documents.data import documents, extractions, ledger, people
from leasehold_documents.data.ledger import Balance
from leasehold_documents.errors import NotFound, Rejected, TooLate
from leasehold_documents.extracting import STRATEGIES, inspect
from leasehold_documents.running import passwords
from leasehold_documents.running.cancelling import cancel_agreed, cancel_jobs
from leasehold_documents.running.enqueuing import enqueue_extraction, open_batch
from leasehold_documents.running.settling import WITHDRAWN, settle, what_of
from leasehold_documents.settings import settings

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_documents.access import Access
    from leasehold_documents.vault import Vault

__all__ = [
    "Balance",
    "Estimate",
    "balance",
    "cancel_agreed",
    "confirm",
    "estimate",
    "extractions_of",
    "withdraw",
]


class Estimate(NamedTuple):
    """What an extraction would cost at most, for as long as it is not agreed to."""

    extraction_id: UUID
    pages: int
    cents: int


def estimate(
    access: Access,
    vault: Vault,
    document_id: UUID,
    engine: str,
    *,
    password: str | None = None,
) -> Estimate:
    """Count the pages, and write down what they cost; nothing is charged by that.

    An encrypted document is one page, unless its password is said, which is nowhere kept.
    """
    access.require("member")
    if engine not in STRATEGIES:
        raise Rejected("UNKNOWN_ENGINE", f"there are {' and '.join(STRATEGIES)}")
    document = _document(access, document_id)
    pages = _count_pages(access, vault, document, password)
    now = datetime.now(UTC)
    with access.write() as session:
        connection = session.connection()
        cents = _price(connection, document, engine, pages)
        priced: Any = {"pages": pages, "cents": cents, "now": now}
        owner = access.tenant_id, document_id, engine
        extraction_id = extractions.renew(connection, *owner, **priced)
        if extraction_id is None:
            (extraction_id,) = access.client.ids.take(1)
            extractions.add(connection, extraction_id, *owner, **priced)
    return Estimate(extraction_id, pages, cents)


def confirm(access: Access, extraction_id: UUID, *, password: str | None = None) -> UUID:
    """Agree to an estimate: the consent, the money and the job stand together, or none does.

    Returns the job. Who agrees again to what was agreed to gets the same one, and pays nothing
    more. `TooLate` when it has ended. The password is kept encrypted, for one attempt.
    """
    access.require("member")
    extraction = _extraction(access, extraction_id)
    if extraction["status"] != "awaiting_consent":
        return _agreed_before(extraction)
    document = _document(access, extraction["document_id"])
    if password is not None:
        passwords.keep(access.client, extraction_id, password)
    try:
        return _agree(access, extraction, document)
    except BaseException:
        if password is not None:
            passwords.forget(access.client, extraction_id)
        raise


def withdraw(access: Access, extraction_id: UUID) -> None:
    """Take the consent back, or the question: cancelled, and nothing is charged.

    `TooLate` when it is done or failed; what is cancelled already stays so.
    """
    extraction = _extraction(access, extraction_id)
    with access.write() as session:
        connection = session.connection()
        is_first = settle(connection, extraction, "cancelled", WITHDRAWN, datetime.now(UTC))
    status = _extraction(access, extraction_id)["status"]
    if not is_first and status != "cancelled":
        raise TooLate(extraction_id, status)
    cancel_jobs(access.client, [extraction])


def balance(access: Access) -> Balance:
    """Say what this tenant owes, and what is reserved."""
    with access.read() as connection:
        return ledger.balance(connection, access.tenant_id)


def extractions_of(access: Access, document_id: UUID) -> list[dict[str, Any]]:
    """List a document's extractions, newest first."""
    with access.read() as connection:
        return extractions.of_document(connection, access.tenant_id, document_id)


def _agree(access: Access, extraction: dict[str, Any], document: dict[str, Any]) -> UUID:
    now = datetime.now(UTC)
    (job_id,) = access.client.ids.take(1)
    batch = open_batch(access, extraction, document)
    with access.write() as session:
        connection = session.connection()
        is_agreed = extractions.agree(
            connection,
            access.tenant_id,
            extraction["id"],
            user_id=access.user_id,
            job_id=job_id,
            now=now,
        )
        if is_agreed:
            amount = ledger.Amount(
                extraction["estimated_pages"], extraction["estimated_cost_cents"]
            )
            ledger.reserve(connection, what_of(extraction, document), amount, now)
            enqueue_extraction(access, session, extraction, document, job_id=job_id, batch=batch)
    if batch is not None:
        if is_agreed:
            batch.seal()
        else:
            batch.cancel(by="somebody else was quicker to agree")
    return job_id if is_agreed else _agreed_before(_extraction(access, extraction["id"]))


def _agreed_before(extraction: Mapping[str, Any]) -> UUID:
    job_id: UUID | None = extraction["job_id"]
    if job_id is None or extraction["status"] in {"failed", "cancelled"}:
        raise TooLate(extraction["id"], extraction["status"])
    return job_id


def _count_pages(
    access: Access, vault: Vault, document: dict[str, Any], password: str | None
) -> int:
    if document["page_count"] is not None:
        return int(document["page_count"])
    with vault.local(document["file_path"]) as path:
        seen = inspect(path, password=password)
    if not seen.is_encrypted:
        with access.write() as session:
            ids = access.tenant_id, document["id"]
            now = datetime.now(UTC)
            documents.change(session.connection(), *ids, now, page_count=seen.page_count)
    return seen.page_count


def _price(connection: Connection, document: dict[str, Any], engine: str, pages: int) -> int:
    """Say what so many pages cost this tenant: nothing, if it has paid for this content before."""
    tenant_id = document["tenant_id"]
    if ledger.is_paid(connection, tenant_id, document["sha256"], engine):
        return 0
    name = f"{STRATEGIES[engine].replace('_', '')}_cents"  # fast_cents, hires_cents
    own = (people.get_organization(connection, tenant_id) or {}).get(name)
    return pages * int(getattr(settings(), name) if own is None else own)


def _document(access: Access, document_id: UUID) -> dict[str, Any]:
    with access.read() as connection:
        found = documents.get(connection, access.tenant_id, document_id)
    if found is None:
        raise NotFound("document", document_id)
    return found


def _extraction(access: Access, extraction_id: UUID) -> dict[str, Any]:
    with access.read() as connection:
        found = extractions.get(connection, access.tenant_id, extraction_id)
    if found is None:
        raise NotFound("extraction", extraction_id)
    return found
