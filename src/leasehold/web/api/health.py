"""Whether the process lives."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/health", tags=["health"])


@router.get("/live")
def live() -> dict[str, str]:
    """Answer as long as the process does; asks nothing of the database."""
    return {"status": "ok"}
