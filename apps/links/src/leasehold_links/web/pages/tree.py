"""The tree of folders, open along the way to where one is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold_links.data.browsing import Row

MOST_BRANCHES = 500  # that a page shows


class Branch(NamedTuple):
    """A folder as the tree shows it."""

    id: UUID
    root: str
    name: str  # "" for a root, which has a name in each language
    depth: int
    links: int  # in it and below
    is_here: bool


def branches(folders: Sequence[Row], here: UUID | None) -> list[Branch]:
    """Choose what is seen: the roots, what is in them, and all along the way to here."""
    by_id = {each["id"]: each for each in folders}
    way: set[UUID | None] = {None, *(each["id"] for each in folders if not each["names"])}
    at = here
    while at is not None and at in by_id:
        way.add(at)
        at = by_id[at]["parent_id"]
    totals = _totals(folders)
    seen = [each for each in folders if each["parent_id"] in way]
    return [
        Branch(
            each["id"],
            each["root"],
            each["name"],
            len(each["names"]),
            totals[each["id"]],
            each["id"] == here,
        )
        for each in seen[:MOST_BRANCHES]
    ]


def _totals(folders: Sequence[Row]) -> dict[UUID, int]:
    """Count what is in a folder and below it: those below come after those above."""
    totals = {each["id"]: each["links"] for each in folders}
    for each in sorted(folders, key=lambda row: len(row["names"]), reverse=True):
        if each["parent_id"] in totals:
            totals[each["parent_id"]] += totals[each["id"]]
    return totals
