"""Jobs of the application's types, in every state, without its handlers."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import leasehold as lh
from leasehold_documents.model.jobs import QUEUE


@lh.task(
    name="extract_document", queue=QUEUE, share=lh.TENANT, max_attempts=4, retry=lh.delays("1m")
)
def extract(document_id: UUID, engine: str, behave: str = "well") -> dict[str, int]:
    """Do as told."""
    match behave:
        case "die":
            raise lh.Dead("DOCUMENT_ENCRYPTED")
        case "fail":
            raise OSError("not now")
        case "cancel":
            raise lh.Cancel("nobody wants it")
        case _:
            return {"page_count": 1, "chunk_count": 2, "doc_type": 0}


def enqueue(client: lh.Client, tenant_id: UUID, behave: str = "well", **options: Any) -> UUID:
    """Enqueue one for a tenant."""
    by_whom = {"created_by": str(uuid4())}
    task = extract.with_options(**by_whom | options)
    return client.for_tenant(str(tenant_id)).enqueue(task, uuid4(), "unstructured_fast", behave).id


def run(client: lh.Client) -> None:
    lh.Worker(client, [extract], slots=1, poll="50ms").run(until_empty=True)
