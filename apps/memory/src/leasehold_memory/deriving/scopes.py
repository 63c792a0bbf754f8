"""What is written of many episodes at once: the time together, a person, a topic, a capsule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from leasehold_memory.data import entities
from leasehold_memory.deriving import episodes
from leasehold_memory.deriving.episodes import said_of
from leasehold_memory.errors import BadScope
from leasehold_memory.llm import prompts
from leasehold_memory.model.answers import Capsule, Summary, document_of
from leasehold_memory.model.units import UnitKind

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.deriving.attempt import Attempt
    from leasehold_memory.model.stored import Unit

_ROLLING = re.compile(r"rolling:([1-9][0-9]{0,2})d")


class Written(NamedTuple):
    """What a model made of episodes."""

    payload: dict[str, Any]
    tags: Sequence[str] = ()


class Scope(Protocol):
    """What such a text is about. Its key names it in the file."""

    @property
    def key(self) -> str: ...

    @property
    def kind(self) -> UnitKind: ...

    @property
    def entity_id(self) -> int | None: ...

    def sources(self, connection: Connection) -> list[Unit]:
        """Return the episodes that it is made of, the oldest first."""

    def ask(self, attempt: Attempt, sources: Sequence[Unit]) -> Written:
        """Let the model write it."""


@dataclass(frozen=True, slots=True)
class Bond:
    """The last days together, as `rolling:7d`; they end with the last episode."""

    key: str
    kind = UnitKind.SUMMARY
    entity_id = None

    def sources(self, connection: Connection) -> list[Unit]:
        found = _ROLLING.fullmatch(self.key)
        if found is None:
            raise BadScope(self.key)
        return episodes.within(connection, timedelta(days=int(found[1])))

    def ask(self, attempt: Attempt, sources: Sequence[Unit]) -> Written:
        said = [said_of(each) for each in sources]
        answer = attempt.ask(Summary, prompts.bond(said, scope_key=self.key))
        return _summary(self, answer)


@dataclass(frozen=True, slots=True)
class About:
    """A person or a topic."""

    what: str  # person, topic
    entity_id: int
    kind = UnitKind.SUMMARY

    @property
    def key(self) -> str:
        return f"{self.what}:{self.entity_id}"

    def sources(self, connection: Connection) -> list[Unit]:
        return episodes.mentioning(connection, self.entity_id)

    def ask(self, attempt: Attempt, sources: Sequence[Unit]) -> Written:
        with attempt.reading() as connection:
            name = entities.get(connection, self.entity_id).name
        write = prompts.person if self.what == "person" else prompts.topic
        # Facts are derived beside it: what is written must not hang on who was first.
        return _summary(self, attempt.ask(Summary, write(name, (), [*map(said_of, sources)])))


@dataclass(frozen=True, slots=True)
class Recent:
    """The last episodes, in a few words."""

    limit: int
    kind = UnitKind.CAPSULE
    entity_id = None

    @property
    def key(self) -> str:
        return f"recent:{self.limit}"

    def sources(self, connection: Connection) -> list[Unit]:
        return episodes.last_of(connection, max(1, min(self.limit, episodes.MOST)))

    def ask(self, attempt: Attempt, sources: Sequence[Unit]) -> Written:
        answer = attempt.ask(Capsule, prompts.capsule([*map(said_of, sources)]))
        payload = {
            "scope_key": self.key,
            "capsule_text": answer.capsule_text,
            "capsule_json": document_of(answer),
        }
        return Written(payload, answer.topic_tags)


def _summary(scope: Scope, answer: Summary) -> Written:
    return Written(
        {
            "scope_key": scope.key,
            "entity_id": scope.entity_id,
            "summary_text": answer.summary_text,
            "summary_json": document_of(answer),
        }
    )
