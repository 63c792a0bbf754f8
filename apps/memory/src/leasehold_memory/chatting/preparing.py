"""What the model is told before it replies: who it is, what is remembered, what was said before."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from leasehold_memory.data.conversations import Turn, last_turns
from leasehold_memory.llm import Message, prompts

if TYPE_CHECKING:
    from leasehold_memory.chatting.wanted import Wanted
    from leasehold_memory.opening import Memory

MOST_TURNS = 8
_MOST_TURN_CHARACTERS = 2_000  # of each side of an earlier turn


def prepare(
    memory: Memory, wanted: Wanted, *, persona: str, budget_tokens: int, is_remembering: bool
) -> list[Message]:
    """Write the messages, without any call of the model. In a thread: it reads the file."""
    return prompts.chat(
        wanted.text,
        persona=persona,
        memories=_memories(memory, wanted.text, budget_tokens) if is_remembering else "",
        now=datetime.now(UTC),
        history=_history(memory, wanted.conversation) if is_remembering else (),
    )


def _memories(memory: Memory, text: str, budget_tokens: int) -> str:
    del memory, text, budget_tokens
    return ""


def _history(memory: Memory, conversation: str) -> list[tuple[str, str]]:
    with memory.database.read() as connection:
        turns = last_turns(connection, conversation, limit=MOST_TURNS)
    return [_cut(turn) for turn in turns]


def _cut(turn: Turn) -> tuple[str, str]:
    return turn.user_text[:_MOST_TURN_CHARACTERS], turn.reply_text[:_MOST_TURN_CHARACTERS]
