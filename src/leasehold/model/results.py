"""What a job came to, as those who waited for it see it."""

from __future__ import annotations

import msgspec

from leasehold.model.ids import JobId
from leasehold.model.states import State


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """A job that has ended, as succeeded, dead or cancelled; `result` is its JSON as stored."""

    job_id: JobId
    kind: str
    tenant: str = ""
    state: State
    result: msgspec.Raw | None = None
    error: str | None = None
