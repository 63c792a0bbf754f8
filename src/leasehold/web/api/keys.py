"""Keys: which job has one, and what is remembered of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field
from starlette.exceptions import HTTPException

from leasehold.errors import KeyHeld
from leasehold.model.states import State
from leasehold.web.access.rights import ApiRouter, operates, reads
from leasehold.web.api.values import Document, NamePath, TenantQuery
from leasehold.web.described import problem_response, problems
from leasehold.web.site import OfSite

router = ApiRouter(prefix="/api/keys", tags=["keys"])

_UNKNOWN = problem_response(404, "not-found", "nothing is known of this key")


class Key(Document):
    """A key: the job that has it, and the one that waits behind that."""

    key: str
    tenant: str
    holder: UUID
    holder_state: State | None = Field(description="null: that job is gone.")
    next: UUID | None
    taken_at: datetime
    succeeded_at: datetime | None
    is_live: bool = Field(description="Whether a live job has it; else it is only remembered.")


@router.get("/{key:any}", response_model=Key, responses={**problems(), **_UNKNOWN})
@reads
def get_key(site: OfSite, key: NamePath, tenant: TenantQuery = "") -> Any:
    """Say which job has a key, live or remembered."""
    found = site.client.key(key, tenant=tenant)
    if found is None:
        raise HTTPException(404)
    return found


@router.delete("/{key:any}", status_code=204, responses={**problems(KeyHeld), **_UNKNOWN})
@operates
def forget_key(site: OfSite, key: NamePath, tenant: TenantQuery = "") -> None:
    """Forget what is remembered of a key; while a live job has it, that is refused."""
    if not site.client.forget_key(key, tenant=tenant):
        raise HTTPException(404)
