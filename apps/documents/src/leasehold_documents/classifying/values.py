"""What a paper is thought to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

SURE: Final = 0.85  # filed without asking
UNSURE: Final = 0.60  # shown to people, who say whether it is so; below that, nothing is said


class Guess(NamedTuple):
    """A type, and how surely: from 0 to 1."""

    doc_type: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggested:
    """A type, how surely, and the tenant's place for papers of it; no type for an unknown paper."""

    doc_type: str | None
    confidence: float
    node_id: UUID | None = None

    @property
    def state(self) -> str:
        """Say what becomes of the paper: "filed", to "review", or in the "inbox"."""
        if self.doc_type is None or self.confidence < UNSURE:
            return "inbox"
        return "filed" if self.confidence >= SURE else "review"
