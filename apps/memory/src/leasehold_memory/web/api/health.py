"""`GET /api/health`: whether the companion remembers, and how far behind it is."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from fastapi import APIRouter
from pydantic import Field

from leasehold.kit.web import Document, Reader
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.problems import PROBLEMS

router = APIRouter(prefix="/api", tags=["health"])


class BacklogDocument(Document):
    """The jobs of one preset's memory that are to be done."""

    preset_id: str
    is_active: bool
    waiting: int
    running: int
    failed: int = Field(description="Within a day, for good.")
    oldest_seconds: float | None = Field(
        description="How long the one has waited that could begin for longest."
    )


class HealthDocument(Document):
    """How the companion is. `llm_auth` among the reasons: the model refuses our key."""

    status: Literal["ok", "degraded"]
    reasons: list[str] = Field(examples=[["llm_auth"]])
    memory_enabled: bool
    is_working: bool
    active_embedding_preset_id: str
    backlogs: list[BacklogDocument]


@router.get("/health", response_model=HealthDocument, responses=PROBLEMS.responses())
def get_health(_person: Reader, hub: OfHub) -> Any:
    """Say how the companion is: what is degraded, and the backlog of each preset."""
    return msgspec.to_builtins(hub.companion.health())
