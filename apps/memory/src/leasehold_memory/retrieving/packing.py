"""What a model is told of the memory before it answers: sections, within a budget of tokens.

A section may take its share and what those before it left over. The order is the one in which a
reader needs them: how things stand, then who and what, then what was said.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from leasehold_memory.model.tokens import cut_to_tokens, estimate_tokens
from leasehold_memory.retrieving.finding import vector_of
from leasehold_memory.retrieving.gathering import Gathered, gather
from leasehold_memory.retrieving.searching import Search

if TYPE_CHECKING:
    from leasehold_memory.opening import Memory

# What each section may take of the budget, in percent.
SHARES: Final = {
    "bond": 15,
    "capsule": 10,
    "people": 20,
    "facts": 20,
    "loops": 10,
    "episodes": 25,
}
_LEAST = 12  # tokens that a cut line must have left, to be worth reading
_MARK = 2  # tokens of what stands before a line
_HEADING = 4  # tokens of what stands above a section


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Lines of one sort, each with the unit that says it."""

    name: str  # bond, capsule, people, facts, loops, episodes
    lines: tuple[str, ...]
    unit_ids: tuple[int, ...]

    @property
    def text(self) -> str:
        return "\n".join([f"[{self.name}]", *(f"- {line}" for line in self.lines)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """What goes into a prompt."""

    sections: tuple[Section, ...]  # those that have something to say

    @property
    def text(self) -> str:
        """All sections as one text, empty if nothing is known."""
        return "\n\n".join(section.text for section in self.sections)

    @property
    def tokens(self) -> int:
        """About how many tokens the text has."""
        return estimate_tokens(self.text)

    @property
    def unit_ids(self) -> list[int]:
        """The units that are told of."""
        return [unit_id for section in self.sections for unit_id in section.unit_ids]


def pack(memory: Memory, text: str, *, budget_tokens: int, may_be_secret: bool = False) -> Pack:
    """Gather what is known about a text, in at most so many tokens; no model is asked."""
    vector = vector_of(memory, text)
    with memory.database.read() as connection:
        search = Search(memory, connection, text, vector)
        gathered = gather(connection, search, may_be_secret=may_be_secret)
    return fit(gathered, budget_tokens)


def fit(gathered: Gathered, budget_tokens: int) -> Pack:
    """Take as much of each section as its share and what is left over allow."""
    sections, left = [], 0
    for name, share in SHARES.items():
        left += budget_tokens * share // 100
        section = _fill(name, gathered.get(name, ()), left)
        if section.lines:
            sections.append(section)
            left -= estimate_tokens(section.text) + 1
    return Pack(sections=tuple(sections))


def _fill(name: str, lines: Iterable[tuple[int, str]], most: int) -> Section:
    """Take whole lines while they fit; the first one that does not is cut, and the last one."""
    kept: dict[int, str] = {}
    left = most - _HEADING
    for unit_id, line in lines:
        flat = " ".join(line.split())
        cost = estimate_tokens(flat) + _MARK
        if cost <= left:
            kept[unit_id] = flat
            left -= cost
            continue
        if left - _MARK >= _LEAST:
            kept[unit_id] = cut_to_tokens(flat, left - _MARK)
        break
    return Section(name=name, lines=tuple(kept.values()), unit_ids=tuple(kept))
