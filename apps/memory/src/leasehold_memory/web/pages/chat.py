"""The chat, and beside it what was remembered, as it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form, Response
from starlette.concurrency import run_in_threadpool

from leasehold.kit.web import Changer, Reader, Visit
from leasehold_memory.chatting import Done
from leasehold_memory.data import browsing, units
from leasehold_memory.model.units import Sensitivity, UnitKind
from leasehold_memory.web.api.chat import LONGEST_TEXT, ChatRequest, begin
from leasehold_memory.web.hub import Hub, OfHub
from leasehold_memory.web.pages.shell import PAGES, OfVisit
from leasehold_memory.web.pages.showing import show

if TYPE_CHECKING:
    from sqlalchemy import Connection

router = APIRouter(include_in_schema=False)
EPISODES = 30
# What was learned stands before what was made of it: one message renews many summaries.
REMEMBERED = (
    ((UnitKind.FACT, UnitKind.LOOP), 12),
    ((UnitKind.SUMMARY, UnitKind.CAPSULE), 6),
)
PROBLEMS_SAID = ("bad-answer", "model-down", "model-limited", "model-refused-key")
SENSITIVITIES = [each.name.lower() for each in Sensitivity]


@router.get("/")
def show_chat(visit: OfVisit, _person: Reader, hub: OfHub) -> Response:
    """Show what was said last, and what was remembered of it."""
    persona = hub.companion.settings.current().persona
    return PAGES.render(
        visit,
        "chat.html",
        persona=persona.name,
        longest=LONGEST_TEXT,
        problems={name: visit.say(f"problem.{name}") for name in PROBLEMS_SAID},
        sensitivities=SENSITIVITIES,
        **standing_of(hub),
        **hub.read(_look, visit),
    )


@router.post("/say")
async def say(
    visit: OfVisit, _person: Changer, hub: OfHub, said: Annotated[ChatRequest, Form()]
) -> Response:
    """Say something where no script runs: the answer comes whole, on the next page."""
    is_answered = await _answer(hub, said)
    return visit.go("/", "answered" if is_answered else "unanswered")


async def _answer(hub: Hub, said: ChatRequest) -> bool:
    events, held = await begin(hub, said.wanted())
    try:
        return isinstance([event async for event in events][-1], Done)
    finally:
        await run_in_threadpool(held.close)


def standing_of(hub: Hub) -> dict[str, Any]:
    """Say what is not as it should be, and how many jobs are at work in the active memory."""
    health = hub.companion.health()
    active = [each for each in health.backlogs if each.is_active]
    return {
        "is_enabled": health.memory_enabled,
        "degraded": health.reasons,
        "at_work": sum(each.waiting + each.running for each in active),
    }


def _look(connection: Connection, visit: Visit) -> dict[str, Any]:
    found = units.find(connection, kind=UnitKind.EPISODE, limit=EPISODES).units
    remembered = [
        each
        for kinds, limit in REMEMBERED
        for each in browsing.remembered(connection, kinds, limit=limit)
    ]
    return {
        "episodes": [
            {"id": each.id, "occurred_at": each.occurred_at, **each.payload}
            for each in reversed(found)
        ],
        "remembered": show(connection, visit.say, remembered),
    }
