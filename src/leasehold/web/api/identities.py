"""Who somebody is, for themselves."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fastapi import Request
from pydantic import Field

from leasehold.model.access import Right
from leasehold.web.access.identity import identity_of
from leasehold.web.access.rights import ApiRouter, reads
from leasehold.web.api.values import Document
from leasehold.web.described import problems

router = ApiRouter(prefix="/api/identity", tags=["access"])


class IdentityInfo(Document):
    """Whom your token speaks for."""

    name: str = Field(description="Empty: nobody is asked who they are.")
    right: Right = Field(description="What you may do; each includes those before it.")
    tenant: str | None = Field(description="null: you see all tenants.")
    expires_at: datetime | None


@router.get("", response_model=IdentityInfo, responses=problems())
@reads
def get_identity(request: Request) -> Any:
    """Say who you are, and what you may do."""
    return identity_of(request)
