"""The job of an extraction, and the batch of a long one, written with somebody's consent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from leasehold_documents.model.jobs import EXTRACT
from leasehold_documents.running.extraction import extract_document, extract_pages
from leasehold_documents.running.merging import ranges_of
from leasehold_documents.settings import settings

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    import leasehold as lh
    from leasehold_documents.access import Access

_PAGED = "application/pdf"  # what can be read page by page


def open_batch(
    access: Access, extraction: dict[str, Any], document: dict[str, Any]
) -> lh.Batch | None:
    """Make a batch for a long document; None for all others."""
    pages = extraction["estimated_pages"]
    if pages <= settings().range_pages or document["media_type"] != _PAGED:
        return None
    return access.client.batches.create(
        name=EXTRACT,
        meta={"extraction_id": str(extraction["id"]), "pages": pages},
        created_by=str(access.user_id),
    )


def enqueue_extraction(
    access: Access,
    session: Session,
    extraction: dict[str, Any],
    document: dict[str, Any],
    *,
    job_id: UUID,
    batch: lh.Batch | None,
) -> None:
    """Write the job, and those of its ranges, on the session in which the consent is written."""
    tenant: Any = {"tenant": str(access.tenant_id), "created_by": str(access.user_id)}
    whole = extract_document.with_options(id=job_id, **tenant)
    asked = document["id"], extraction["engine"]
    bound = access.on(session)
    if batch is None:
        bound.enqueue(whole, *asked)
        return
    ranges = ranges_of(extraction["estimated_pages"], settings().range_pages)
    ids = access.client.ids.take(len(ranges))
    bound.add_all(
        batch,
        [
            *(
                extract_pages.with_options(id=range_id, **tenant).call(*asked, job_id, *pages)
                for range_id, pages in zip(ids, ranges, strict=True)
            ),
            whole.with_options(after=ids, even_if_failed=True).call(*asked),
        ],
    )
