"""What became of the objects that a scan saw."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Of a page, or of a whole scan, in which each object counts once, however often it is seen."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    deleted: int = 0
    nameless: int = 0  # without an id: they can't be kept

    @property
    def entities(self) -> int:
        """The seed's `entity_count`."""
        return self.created + self.updated + self.unchanged

    def __add__(self, other: Counts) -> Counts:
        names = (each.name for each in fields(Counts))
        return Counts(**{name: getattr(self, name) + getattr(other, name) for name in names})
