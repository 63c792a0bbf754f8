"""`POST /api/replay`: derive everything again from what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter
from pydantic import Field

from leasehold.kit.web import Changer, Document
from leasehold_memory.replaying import replay
from leasehold_memory.web.api.values import PresetQuery
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.problems import PROBLEMS

if TYPE_CHECKING:
    from leasehold_memory.replaying import Replayed

router = APIRouter(prefix="/api", tags=["memories"])


class ReplayDocument(Document):
    """What was enqueued; the same is derived as before when these jobs have ended."""

    episodes: int = Field(description="From which all is derived again.")
    jobs: int = Field(description="Those that waited already are not among them.")


@router.post(
    "/replay", status_code=202, response_model=ReplayDocument, responses=PROBLEMS.responses(404)
)
def post_replay(_person: Changer, hub: OfHub, preset: PresetQuery = None) -> Replayed:
    """Enqueue the deriving of everything, of the active preset's memory unless another is named."""
    with hub.memory(preset) as memory:
        return replay(memory)
