"""Who you are here, and to which organizations you belong."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import Field

from leasehold.kit.web import Document
from leasehold_documents.web.people import Somebody, tenants_of
from leasehold_documents.web.problems import PROBLEMS

router = APIRouter(prefix="/api", tags=["people"])


class Membership(Document):
    """An organization of yours; its id is what `X-Tenant` says."""

    tenant_id: UUID
    name: str
    role: str = Field(examples=["member"])


class Me(Document):
    """You. `is_asked` false: nobody is asked here, and everybody is this one."""

    user_id: UUID
    name: str
    is_asked: bool
    organizations: list[Membership]


@router.get("/me", response_model=Me, responses=PROBLEMS.responses())
def get_me(request: Request, caller: Somebody) -> dict[str, Any]:
    """Say who you are, and which organizations you may name."""
    found = tenants_of(request, caller)
    return {
        "user_id": caller.user_id,
        "name": caller.name,
        "is_asked": caller.is_asked,
        "organizations": [Membership.model_validate(each) for each in found],
    }
