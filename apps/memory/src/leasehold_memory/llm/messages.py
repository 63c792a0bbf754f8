"""What is sent to a model: instructions of ours, and what people said as JSON beside them.

Text inside a JSON string can't end it, so nothing that was said looks like an instruction of ours.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Literal

import msgspec

from leasehold_memory.model.asking import TASK_LINE, Ask

MOST_CHARACTERS = 24_000  # of all that was said, in one prompt
_LEAST_CHARACTERS = 200  # of one text, however much shorter it is to be


class Message(msgspec.Struct, frozen=True):
    """One turn, as the API has it."""

    role: Literal["system", "user", "assistant"]
    content: str

    def __repr__(self) -> str:
        return f"Message({self.role!r}, {len(self.content)} characters)"


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """An episode, as a model is shown it."""

    unit_id: int
    at: datetime
    user: str
    reply: str = ""

    def __repr__(self) -> str:
        return f"Said({self.unit_id})"

    def cut(self, characters: int) -> Said:
        """Keep so many characters of each side, from the beginning."""
        return msgspec.structs.replace(
            self, user=self.user[:characters], reply=self.reply[:characters]
        )


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """A question about episodes, the oldest first. It can be asked again `shorter`."""

    ask: Ask
    instructions: str
    episodes: tuple[Said, ...]
    about: dict[str, Any] = {}  # what else is known, as plain values

    def __repr__(self) -> str:
        return f"Prompt({self.ask.value!r}, {len(self.episodes)} episodes)"

    def messages(self) -> list[Message]:
        """Write it down: the task and its rules, then the material."""
        said = [msgspec.to_builtins(each) for each in self._bounded()]
        material = json.dumps({**self.about, "episodes": said}, ensure_ascii=False)
        system = f"{TASK_LINE}{self.ask}\n{self.instructions}"
        return [Message("system", system), Message("user", material)]

    def shorter(self) -> Prompt:
        """Return it with about half the material: the newer episodes, or the begin of the one."""
        if len(self.episodes) > 1:
            kept = self.episodes[len(self.episodes) // 2 :]
        else:
            kept = tuple(each.cut(_half(each)) for each in self.episodes)
        return msgspec.structs.replace(self, episodes=kept)

    def _bounded(self) -> list[Said]:
        share = MOST_CHARACTERS // (2 * max(1, len(self.episodes)))
        return [each.cut(max(_LEAST_CHARACTERS, share)) for each in self.episodes]


def _half(said: Said) -> int:
    return max(_LEAST_CHARACTERS, min(MOST_CHARACTERS, max(len(said.user), len(said.reply))) // 2)
