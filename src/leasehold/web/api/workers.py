"""Workers: who is there."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from leasehold.web.access.rights import ApiRouter, reads_all
from leasehold.web.api.job_documents import WorkerNumber
from leasehold.web.api.values import Document
from leasehold.web.described import problems
from leasehold.web.site import OfSite

router = ApiRouter(prefix="/api/workers", tags=["workers"])


class WorkerInfo(Document):
    """A worker process as it reports itself."""

    id: WorkerNumber
    name: str
    queues: tuple[str, ...]
    kinds: tuple[str, ...]
    slots: int
    version: str
    running: int
    started_at: datetime | None
    seen_at: datetime | None


@router.get("", response_model=list[WorkerInfo], responses=problems())
@reads_all
def list_workers(site: OfSite) -> Any:
    """List the workers that have shown themselves, idle ones too."""
    return site.client.workers()
