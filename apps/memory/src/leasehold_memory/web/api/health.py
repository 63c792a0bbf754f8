"""`GET /api/health`: whether the companion remembers, and how far behind it is."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from leasehold.kit.web import Reader
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.problems import PROBLEMS

router = APIRouter(prefix="/api", tags=["health"])


@router.get("/health", responses=PROBLEMS.responses())
def get_health(_person: Reader, hub: OfHub) -> Any:
    """Say how the companion is: what is degraded, and the age of the backlog of each preset."""
    return hub.companion.health()
