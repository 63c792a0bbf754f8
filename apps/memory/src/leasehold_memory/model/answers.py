"""What a model may answer: every length, range and word is checked, whatever it was told.

An answer that has a list loses its bad items and keeps the good ones; `dropped` says how many.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from leasehold_memory.model.predicates import Predicate

SPEAKER = "user"  # the subject of facts about the one who talks
MOST_ITEMS = 30  # of any list; more are dropped

Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
Word: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
Line: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
Prose: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=4000)]
Level: TypeAlias = Literal["normal", "private", "secret"]  # names of Sensitivity
EntityKind: TypeAlias = Literal["person", "topic", "place", "thing"]
Emotion: TypeAlias = Literal[
    "joy", "love", "calm", "surprise", "sadness", "fear", "anger", "tiredness", "neutral"
]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What all answers have: how many items of lists were no good."""

    dropped: int = 0


class Reflection(Answer, frozen=True, kw_only=True):
    """What the companion makes of an episode."""

    summary: Line
    emotion: Emotion = "neutral"
    intensity: Share = 0.0
    importance: Share = 0.5
    sensitivity: Level = "normal"
    topic_tags: list[Word] = []


class FoundEntity(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody or something that an episode speaks of."""

    kind: EntityKind
    name: Word
    aliases: list[Word] = []
    weight: Share = 0.5  # how much of the episode is about it


class Entities(Answer, frozen=True, kw_only=True):
    """All that an episode speaks of."""

    entities: list[FoundEntity]


class FoundFact(msgspec.Struct, frozen=True, kw_only=True):
    """Something that an episode says of somebody; the subject is `SPEAKER` or a name."""

    subject: Word
    predicate: Predicate
    object: Line
    confidence: Share = 0.7


class Facts(Answer, frozen=True, kw_only=True):
    """All that an episode states."""

    facts: list[FoundFact]


class FoundLoop(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is still to come: a promise, a plan, a question. Or that has been done."""

    text: Line
    due_on: date | None = None
    is_done: bool = False


class Loops(Answer, frozen=True, kw_only=True):
    """All that an episode opens or closes."""

    loops: list[FoundLoop]


class Summary(Answer, frozen=True, kw_only=True):
    """Of a week together, of a person or of a topic."""

    summary_text: Prose
    key_events: list[Line] = []
    bond_state: Annotated[str, msgspec.Meta(max_length=300)] = ""


class Capsule(Answer, frozen=True, kw_only=True):
    """What the last episodes were about, in a few words."""

    capsule_text: Prose
    topic_tags: list[Word] = []
    mood: Emotion = "neutral"


def document_of(answer: Answer) -> dict[str, Any]:
    """Return an answer as it is kept: all but the count of what was dropped."""
    fields: dict[str, Any] = msgspec.to_builtins(answer)
    del fields["dropped"]
    return fields
