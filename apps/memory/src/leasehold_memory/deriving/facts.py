"""What an episode states, and what that makes of facts that were known before."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from leasehold_memory.data import claims, edges, entities, payloads, reading, units
from leasehold_memory.deriving.episodes import episode_of, said_of
from leasehold_memory.llm import prompts
from leasehold_memory.model.answers import SPEAKER, Facts, FoundFact
from leasehold_memory.model.names import name_key
from leasehold_memory.model.predicates import EXCLUSIVE, Predicate
from leasehold_memory.model.standing import Claim, Standing, standings
from leasehold_memory.model.units import UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.deriving.attempt import Attempt
    from leasehold_memory.model.stored import Origin, Unit

# Their objects are people: a fact is about both.
_BETWEEN_PEOPLE = frozenset({Predicate.PARTNER_IS, Predicate.FRIEND_OF, Predicate.HAS_CHILD})


class Group(NamedTuple):
    """Facts that decide how each other stand: of an exclusive predicate all of its subject."""

    subject_id: int | None
    predicate: str
    identity: str  # empty: all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact that an episode states, with whom it is about. Without a subject: who talks."""

    identity: str
    subject_id: int | None
    predicate: Predicate
    object_text: str
    object_id: int | None
    confidence: float

    @property
    def group(self) -> Group:
        return group_of(self.subject_id, self.predicate, self.identity)


def group_of(subject_id: int | None, predicate: str, identity: str) -> Group:
    """Return the facts among which this one stands."""
    return Group(subject_id, predicate, "" if predicate in EXCLUSIVE else identity)


def ask(attempt: Attempt, unit_id: int) -> Facts:
    """Let the model find what an episode states."""
    with attempt.reading() as connection:
        episode = episode_of(connection, unit_id)
    return attempt.ask(Facts, prompts.facts(said_of(episode)))


def write(connection: Connection, unit_id: int, answer: Facts, job: Origin | None) -> list[int]:
    """Let an episode state exactly this; returns the units that are other ones now."""
    episode = episode_of(connection, unit_id)
    stated = _resolve(connection, answer.facts)
    known = _known(connection, unit_id)
    writer = _Writer(connection, episode, stated, job)
    for group in sorted({fact.group for fact in stated.values()} | known, key=str):
        writer.write_group(group)
    spoken = [writer.unit_ids[identity] for identity in stated]
    left = units.set_evidence(connection, unit_id, UnitKind.FACT, spoken)
    sure = {writer.unit_ids[each]: fact.confidence for each, fact in stated.items()}
    claims.weigh(connection, unit_id, sure)
    return sorted({*writer.changed, *left})


class _Writer:
    """Writes groups of facts, each fact once and as it stands at the end."""

    def __init__(
        self, connection: Connection, episode: Unit, stated: dict[str, Fact], job: Origin | None
    ) -> None:
        self._connection = connection
        self._episode = episode
        self._stated = stated
        self._job = job
        self.unit_ids: dict[str, int] = {}
        self.changed: list[int] = []

    def write_group(self, group: Group) -> None:
        said = self._others(group) + self._own(group)
        stand = standings(said, is_exclusive=group.predicate in EXCLUSIVE)
        in_order = sorted(said, key=lambda each: (each.at, each.episode_id))
        newest = {each.identity: each for each in in_order}
        for identity, standing in sorted(stand.items()):
            is_newest = newest[identity].episode_id == self._episode.id
            self._write(identity, standing, is_newest=is_newest)
        if group.predicate in EXCLUSIVE:
            self._supersede(stand)

    def _others(self, group: Group) -> list[Claim]:
        without = self._episode.id
        if group.identity:
            return claims.claims_of(self._connection, group.identity, without=without)
        return claims.rivals(self._connection, group.subject_id, group.predicate, without=without)

    def _own(self, group: Group) -> list[Claim]:
        episode = self._episode
        return [
            Claim(identity, episode.id, episode.occurred_at, fact.confidence)
            for identity, fact in self._stated.items()
            if fact.group == group
        ]

    def _write(self, identity: str, standing: Standing, *, is_newest: bool) -> None:
        known = claims.unit_of(self._connection, UnitKind.FACT, identity)
        payload = self._payload(identity, known, is_newest=is_newest)
        about = {payload["subject_id"], payload["object_id"]} - {None}
        saved = units.save(
            self._connection,
            UnitKind.FACT,
            identity,
            payload
            | {
                "confidence": standing.confidence,
                "valid_from": standing.valid_from,
                "valid_to": standing.valid_to,
            },
            occurred_at=standing.valid_from,
            state=UnitState.CLOSED if standing.valid_to else UnitState.ACTIVE,
            entities=dict.fromkeys(about, 1.0),
            job=self._job,
        )
        self.unit_ids[identity] = saved.unit_id
        if saved.is_changed:
            self.changed.append(saved.unit_id)

    def _payload(self, identity: str, known: int | None, *, is_newest: bool) -> dict[str, Any]:
        """Say it in the words of who said it last, whoever was derived last."""
        if known is not None and not is_newest:
            return payloads.read_one(self._connection, UnitKind.FACT, known)
        fact = self._stated[identity]
        return {
            "subject_id": fact.subject_id,
            "predicate": fact.predicate.value,
            "object_text": fact.object_text,
            "object_id": fact.object_id,
        }

    def _supersede(self, stand: dict[str, Standing]) -> None:
        pairs = [
            (self.unit_ids[standing.superseded_by], self.unit_ids[identity])
            for identity, standing in stand.items()
            if standing.superseded_by is not None
        ]
        among = {self.unit_ids[identity] for identity in stand}
        claims.supersede(self._connection, pairs, among)


def _known(connection: Connection, unit_id: int) -> set[Group]:
    """Return the groups of what the episode stated when it was derived before."""
    before = edges.derived_from(connection, unit_id, UnitKind.FACT)
    found = reading.get_many(connection, before)
    return {
        group_of(each.payload["subject_id"], each.payload["predicate"], each.identity or "")
        for each in found
    }


def _resolve(connection: Connection, found: Iterable[FoundFact]) -> dict[str, Fact]:
    """Find out who is meant; of the same fact said twice the surer one."""
    facts: dict[str, Fact] = {}
    for each in sorted(found, key=lambda each: each.confidence):
        fact = _fact(connection, each)
        if fact is not None:
            facts[fact.identity] = fact
    return facts


def _fact(connection: Connection, found: FoundFact) -> Fact | None:
    subject, said = name_key(found.subject), " ".join(found.object.split())
    if not subject or not name_key(said):
        return None
    subject_id = None if subject == SPEAKER else _person(connection, found.subject)
    if subject_id is not None:
        subject = entities.get(connection, subject_id).name_key
    is_between = found.predicate in _BETWEEN_PEOPLE
    return Fact(
        identity=json.dumps([subject, found.predicate.value, name_key(said)], ensure_ascii=False),
        subject_id=subject_id,
        predicate=found.predicate,
        object_text=said,
        object_id=_person(connection, said) if is_between else None,
        confidence=found.confidence,
    )


def _person(connection: Connection, name: str) -> int:
    return entities.resolve(connection, "person", name)
