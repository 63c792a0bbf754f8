"""What is found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState


class Why(StrEnum):
    """What led to a unit."""

    WORDS = "words"
    MEANING = "meaning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A unit that was found; of two the one with the higher score says more about the question."""

    unit_id: int
    kind: UnitKind
    text: str
    score: float
    why: tuple[Why, ...]
    occurred_at: datetime
    state: UnitState
    sensitivity: Sensitivity
