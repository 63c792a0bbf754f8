"""What a job has saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import leasehold as lh

if TYPE_CHECKING:
    from leasehold.client import Client


def saved(client: Client, job_id: Any) -> lh.Checkpoint:
    found = client.checkpoint(job_id)
    assert found is not None
    return found
