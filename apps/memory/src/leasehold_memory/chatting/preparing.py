"""What the model is told before it replies: who it is, what is remembered, what was said before."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from leasehold_memory.data.conversations import Turn, last_turns
from leasehold_memory.errors import MemoryAppError
from leasehold_memory.llm import Message, prompts
from leasehold_memory.retrieving import Pack, pack

if TYPE_CHECKING:
    from leasehold_memory.chatting.wanted import Wanted
    from leasehold_memory.opening import Memory

MOST_TURNS = 8
_MOST_TURN_CHARACTERS = 2_000  # of each side of an earlier turn
_NOTHING = Pack(sections=())
_logger = logging.getLogger("leasehold_memory.chatting")


class Prepared(NamedTuple):
    """What is said to the model, and the memories that are told in it."""

    messages: list[Message]
    unit_ids: list[int]


def prepare(
    memory: Memory, wanted: Wanted, *, persona: str, budget_tokens: int, is_remembering: bool
) -> Prepared:
    """Write the messages, without any call of the model. In a thread: it reads the file."""
    told = _remembered(memory, wanted.text, budget_tokens) if is_remembering else _NOTHING
    messages = prompts.chat(
        wanted.text,
        persona=persona,
        memories=told.text,
        now=datetime.now(UTC),
        history=_history(memory, wanted.conversation) if is_remembering else (),
    )
    return Prepared(messages, told.unit_ids)


def _remembered(memory: Memory, text: str, budget_tokens: int) -> Pack:
    """Find what is remembered; a reply without it is better than none."""
    try:
        return pack(memory, text, budget_tokens=budget_tokens)
    except MemoryAppError as error:
        _logger.warning("chat without memories", extra={"error": type(error).__name__})
        return _NOTHING


def _history(memory: Memory, conversation: str) -> list[tuple[str, str]]:
    with memory.database.read() as connection:
        turns = last_turns(connection, conversation, limit=MOST_TURNS)
    return [_cut(turn) for turn in turns]


def _cut(turn: Turn) -> tuple[str, str]:
    return turn.user_text[:_MOST_TURN_CHARACTERS], turn.reply_text[:_MOST_TURN_CHARACTERS]
