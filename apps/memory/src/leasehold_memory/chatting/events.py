"""What is told while a reply comes: its words, and how it ended."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from leasehold_memory.errors import ModelFailed


class Token(msgspec.Struct, frozen=True):
    """The next words of the reply."""

    text: str

    def __repr__(self) -> str:
        return f"Token({len(self.text)} characters)"


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """The reply is whole. Without a `unit_id` nothing was stored: memory is off."""

    preset_id: str
    unit_id: int | None
    is_reflected: bool
    told: list[int]  # the units of which the model was told


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """The model broke off, or never began. What had come of the reply is in the unit, if any."""

    error: ModelFailed
    preset_id: str
    unit_id: int | None


Event: TypeAlias = Token | Done | Failed
