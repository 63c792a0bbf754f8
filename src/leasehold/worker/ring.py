"""Whose turn it is: weighted round robin over the shares of a level, and over a share's lanes.

Pure: it knows what looks found and claims gave, and says what to ask for next. A lane leaves when
it gave less than was asked of it; it comes back when it is seen again or a job of it ends here.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from leasehold.model.lanes import ENDLESS, Ask, party_of, read_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from leasehold.model.lanes import LaneSeen
    from leasehold.model.values import Want


@dataclass(slots=True)
class _Party:
    """A share's lanes with room, in the order of their turns; `credit` is left of its own turn."""

    weight: int
    credit: int = 0
    rooms: dict[str, int] = field(default_factory=dict)  # by place


class _Level:
    """The parties of one queue and priority, in the order of their turns."""

    def __init__(self) -> None:
        self.parties: dict[str, _Party] = {}
        self._turns: deque[str] = deque()
        self.age_seconds = 0.0

    def add(self, place: str, weight: int, room: int) -> None:
        name = party_of(place)
        party = self.parties.get(name)
        if party is None:
            party = self.parties[name] = _Party(weight)
            self._turns.append(name)
        party.weight = weight
        party.rooms[place] = room

    def draw(self, limit: int) -> list[Ask]:
        """Share `limit` out by weight. Who is cut short goes on with the next claim.

        The turns are one endless line, whatever the sizes of the claims: A A A B C C A A A …
        """
        asked: dict[str, int] = {}
        left = limit
        open_weight = {name: party.weight for name, party in self.parties.items()}
        whole = sum(open_weight.values())
        while left > 0 and open_weight:
            head = self.parties[self._turns[0]]
            rounds = 0 if head.credit else left // whole
            # As many whole rounds as fit at once, else the next turn.
            names = list(self._turns) if rounds else [self._turns[0]]
            for name in names:
                party = self.parties[name]
                due = party.credit or party.weight * max(1, rounds)
                most = min(due, left)
                got = _ask(party, most, asked)
                left -= got
                party.credit = due - got if got == most else 0
                if got < most:
                    whole -= open_weight.pop(name, 0)
                if not party.credit:
                    self._turns.rotate(-1)
        return [Ask(place, most) for place, most in asked.items()]

    def drop(self, place: str) -> None:
        name = party_of(place)
        party = self.parties.get(name)
        if party is None:
            return
        party.rooms.pop(place, None)
        if not party.rooms:
            del self.parties[name]
            self._turns.remove(name)


def _ask(party: _Party, most: int, asked: dict[str, int]) -> int:
    """Ask the party's lanes for so many more; says how many they have room for."""
    got = 0
    for place in list(party.rooms):
        if got >= most:
            break
        part = min(most - got, party.rooms[place] - asked.get(place, 0))
        if part > 0:
            party.rooms[place] = party.rooms.pop(place)  # to the end of the line
            asked[place] = asked.get(place, 0) + part
            got += part
    return got


class Ring:
    """The lanes that are believed to have work and room, by (queue, priority)."""

    def __init__(self) -> None:
        self._levels: dict[tuple[str, int], _Level] = {}
        self._weights: dict[str, int] = {}  # of shares, as last seen …
        self._mosts: dict[str, int] = {}  # … and how many may run at once in lanes with room

    @property
    def is_empty(self) -> bool:
        return not self._levels

    @property
    def has_several_shares(self) -> bool:
        """Whether a share that just came could be kept waiting by another one."""
        return len(self._weights) > 1

    @property
    def has_shares(self) -> bool:
        """Whether jobs of a share wait: another one that comes must not wait behind them all."""
        return any(self._weights)

    def top(self, queue: str) -> int | None:
        """Return the highest priority with work in that queue's lanes."""
        return max((priority for name, priority in self._levels if name == queue), default=None)

    def begin_look(self) -> None:
        """Forget what the look is about to tell anew: who waits longest, and which shares wait."""
        self._weights.clear()
        self._mosts.clear()
        for level in self._levels.values():
            level.age_seconds = 0.0

    def note_share(self, lane: LaneSeen) -> None:
        """Take in a share that has work, open or not."""
        self._weights[read_place(lane.place).share] = lane.weight

    def learn(self, lane: LaneSeen) -> None:
        """Take in a lane with room."""
        self.note_share(lane)
        place = read_place(lane.place)
        level = self._levels.setdefault((place.queue, place.priority), _Level())
        level.add(lane.place, lane.weight, lane.room)
        self._mosts[lane.place] = lane.most
        level.age_seconds = max(level.age_seconds, lane.age_seconds)

    def free(self, text: str) -> None:
        """Note that a job of this place has ended here: its lane has room for another one."""
        place = read_place(text)
        level = self._levels.setdefault((place.queue, place.priority), _Level())
        party = level.parties.get(party_of(text))
        room = 0 if party is None else party.rooms.get(text, 0)
        if room < self._mosts.get(text, ENDLESS):  # else a look was quicker to tell
            level.add(text, self._weights.get(place.share, 1), room + 1)

    def draw(self, wants: Sequence[Want], limit: int) -> list[Ask]:
        """Say what to ask for: queues in the order wanted, high priorities first."""
        asks: list[Ask] = []
        for want in wants:
            left = min(want.limit, limit - sum(ask.most for ask in asks))
            for _, level in self._in_order(want):
                if left <= 0:
                    break
                drawn = level.draw(left)
                asks += drawn
                left -= sum(ask.most for ask in drawn)
        return asks

    def note(self, asks: Iterable[Ask], taken: Mapping[str, int]) -> None:
        """Take in what a claim gave: who gave less has no room or no work."""
        for ask in asks:
            got = taken.get(ask.place, 0)
            place = read_place(ask.place)
            level = self._levels[place.queue, place.priority]
            rooms = level.parties[party_of(ask.place)].rooms
            if rooms[ask.place] < ENDLESS:
                rooms[ask.place] -= got
            if got < ask.most or rooms[ask.place] <= 0:
                level.drop(ask.place)
            if not level.parties:
                del self._levels[place.queue, place.priority]

    def _in_order(self, want: Want) -> list[tuple[float, _Level]]:
        """A queue's levels, the highest first; with aging, as if those who wait long had more."""
        levels = [
            (_rank(priority, level, want.aging_seconds), level)
            for (queue, priority), level in self._levels.items()
            if queue == want.queue and (want.least is None or priority >= want.least)
        ]
        return sorted(levels, key=lambda ranked: -ranked[0])


def _rank(priority: int, level: _Level, aging_seconds: float | None) -> float:
    return priority + (level.age_seconds // aging_seconds if aging_seconds else 0)
