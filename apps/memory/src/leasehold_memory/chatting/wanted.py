"""What a person says, and where."""

from __future__ import annotations

import msgspec

from leasehold_memory.model.units import Sensitivity


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Words that want a reply. The conversation is the person's own name for it."""

    text: str
    conversation: str = ""
    sensitivity: Sensitivity = Sensitivity.NORMAL

    def __repr__(self) -> str:
        return f"Wanted({len(self.text)} characters)"
