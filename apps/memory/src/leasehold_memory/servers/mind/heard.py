"""What was understood of something that was said."""

from __future__ import annotations

from typing import Any

import msgspec

USER = "user"


class Heard(msgspec.Struct):
    """Collects what the rules of a language find; the same is found once."""

    people: dict[str, list[str]] = {}  # a name, and what it was called besides
    places: list[str] = []
    topics: list[str] = []
    facts: list[tuple[str, str, str]] = []  # subject, predicate, object
    loops: list[tuple[str, str | None, bool]] = []  # text, day, whether it is done
    emotion: str = "neutral"
    sensitivity: str = "normal"

    def person(self, name: str, *aliases: str) -> None:
        known = self.people.setdefault(name, [])
        known += [each for each in aliases if each not in known and each != name]

    def place(self, name: str) -> None:
        _once(self.places, name)

    def topic(self, name: str) -> None:
        _once(self.topics, name)

    def fact(self, subject: str, predicate: str, said: str) -> None:
        if said:
            _once(self.facts, (subject, predicate, said))

    def loop(self, text: str, day: str | None, *, is_done: bool = False) -> None:
        _once(self.loops, (text, day, is_done))

    @property
    def entities(self) -> list[dict[str, Any]]:
        """All that was spoken of, as the answer lists it."""
        people = [
            {"kind": "person", "name": name, "aliases": aliases, "weight": 0.8}
            for name, aliases in self.people.items()
        ]
        places = [_entity("place", name, 0.4) for name in self.places]
        return [*people, *places, *(_entity("topic", name, 0.6) for name in self.topics)]


def _entity(kind: str, name: str, weight: float) -> dict[str, Any]:
    return {"kind": kind, "name": name, "aliases": [], "weight": weight}


def _once(found: list[Any], each: Any) -> None:
    if each not in found:
        found.append(each)
