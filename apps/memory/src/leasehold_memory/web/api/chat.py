"""`POST /api/chat`: say something, and hear the reply as it comes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack
from typing import Annotated, Any, TypeAlias, assert_never

import msgspec
from fastapi import APIRouter, Response
from pydantic import Field, StringConstraints
from starlette.concurrency import run_in_threadpool

import leasehold as lh
from leasehold.kit.web import Changer, Command, a_text
from leasehold.web import make_problem
from leasehold_memory.chatting import Done, Event, Failed, Token, Wanted, chat
from leasehold_memory.llm import Llm
from leasehold_memory.model.units import Sensitivity
from leasehold_memory.opening import Memory
from leasehold_memory.settings import Snapshot
from leasehold_memory.web.api.values import Level
from leasehold_memory.web.chat_stream import ChatStream
from leasehold_memory.web.hub import Hub, OfHub
from leasehold_memory.web.problems import PROBLEMS

router = APIRouter(prefix="/api", tags=["chat"])
LONGEST_TEXT = 8_000  # characters
# Some word, and no control characters but tabs and line ends.
_WORDS = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*[^\x00-\x20\x7f\s][^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
Words: TypeAlias = Annotated[
    str, StringConstraints(strict=True, min_length=1, max_length=LONGEST_TEXT, pattern=_WORDS)
]
_NOT_STORED = make_problem(
    503, "store-unavailable", "what was said could not be stored just now; try again"
)
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": (
            "`token` with `text` as the reply comes; at last `done` with the number of the episode "
            "(`unit_id`, null while memory is off) and of memories that were `told` to the model; "
            "or `error` with a problem document and the number of the episode, if a part of the "
            "reply was stored."
        ),
        "content": {"text/event-stream": {}},
    }
}


class ChatRequest(Command):
    """What is said."""

    text: Words = Field(examples=["My sister Emma lives in Kyoto."])
    conversation: Annotated[str, a_text(100)] = Field(
        default="", description="A name of your own: its last turns are said to the model again."
    )
    sensitivity: Level = Field(
        default="normal", description="What is secret never feeds a summary."
    )

    def wanted(self) -> Wanted:
        level = Sensitivity[self.sensitivity.upper()]
        return Wanted(text=self.text, conversation=self.conversation, sensitivity=level)


@router.post("/chat", response_class=Response, responses={**PROBLEMS.responses(), **_STREAM})
async def post_chat(said: ChatRequest, _person: Changer, hub: OfHub) -> Response:
    """Reply, as server-sent events. Whoever leaves in the midst of it is remembered, too."""
    events, held = await begin(hub, said.wanted())
    return ChatStream(events, write=write_event, on_end=held.close)


async def begin(hub: Hub, wanted: Wanted) -> tuple[AsyncGenerator[Event], ExitStack]:
    """Take the memory that is active now: the turn ends in it, whatever is switched meanwhile.

    Its jobs give way from now on.
    """
    with ExitStack() as held:
        memory = held.enter_context(hub.memory())
        hurry = held.enter_context(memory.courtesy.hurry())
        settings, llm = await run_in_threadpool(_chosen, hub, memory)
        events = chat(
            memory,
            llm,
            wanted,
            persona=settings.persona.prompt,
            is_remembering=settings.memory_enabled,
            hurry=hurry,
        )
        return events, held.pop_all()


def _chosen(hub: Hub, memory: Memory) -> tuple[Snapshot, Llm]:
    settings = hub.companion.settings.current()
    return settings, memory.models.llm_of(settings.model)


def write_event(event: Event | Exception) -> bytes:
    """Write it as a browser reads it."""
    match event:
        case Token(text):
            return _written("token", {"text": text})
        case Done():
            return _written("done", msgspec.to_builtins(event))
        case Failed(error=error, preset_id=preset_id, unit_id=unit_id):
            problem = msgspec.json.decode(PROBLEMS.tell(error).encode())
            return _written("error", problem | {"preset_id": preset_id, "unit_id": unit_id})
        case lh.LeaseholdError():
            return _written("error", msgspec.json.decode(PROBLEMS.tell(event).encode()))
        case Exception():
            return _written("error", msgspec.json.decode(_NOT_STORED.encode()))
        case _:
            assert_never(event)


def _written(name: str, document: Any) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), msgspec.json.encode(document))
