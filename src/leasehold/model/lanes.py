"""Lanes: jobs that wait for a slot or a token of their throttle's key, or for their share's turn.

A *party* is (queue, stage, priority, share), a *lane* is (party, throttle key). All jobs of one
lane have one *place*, a text that sorts as a claim takes them. Shares take turns, then a share's
lanes do; a limit counts its key over all lanes and queues.

A throttle whose name begins with "@" is each tenant's own: its keys carry the tenant, put there by
the statement that writes a job, and by nothing else. People say "@domain:a.com" and whose.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from leasehold.model.values import Claim

ENDLESS = 2**31 - 1  # the room of a lane without a throttle
LINE = 8  # short jobs that one slot is taken for at once: they run one after the other …
LONGEST_LINE = 16  # … and where there are too few slots to fill the room so
SEPARATOR = "\x1f"
PAST = (
    " "  # sorts after the separator, before whatever can be printed: skips all that a head begins
)

# Who may take a job out of a lane: who comes by, who has no other suspect, who knows its kind.
USUAL = ""
SUSPECTS = "!"
BEHIND = "#"  # nobody: it waits until the running job of its key has ended
HELD = "@"  # who counts what its tenant runs: `@acme` of each; a look at `@` is one at all of them

OWN = "@"  # how the name of a throttle begins that each tenant has for itself
WHOSE = "\x1e"  # ends the tenant in such a key: nothing that can be printed, so nobody can write it


def parked(kind: str) -> str:
    """Return the stage of jobs whose kind somebody who came by did not know."""
    return f"={kind}"


class Place(NamedTuple):
    """Where a job stands in line."""

    queue: str
    stage: str
    priority: int
    share: str
    lane: str


@lru_cache(maxsize=8_192)
def read_place(text: str) -> Place:
    """Read what the stores write: queue, stage, 32767 - priority in five digits, share, lane."""
    queue, stage, order, share, lane = text.split(SEPARATOR)
    return Place(queue, stage, 32_767 - int(order), share, lane)


@lru_cache(maxsize=8_192)
def party_of(place: str) -> str:
    """Return the part of a place that its share's lanes have in common."""
    return place.rpartition(SEPARATOR)[0]


def own_lane(name: str, tenant: str) -> str:
    """Return the key that a name stands for where a tenant says it; shared ones are what they are.

    The name of a rule alone stands for all keys that the tenant has of it.
    """
    if not name.startswith(OWN):
        return name
    rule, _, key = name.partition(":")
    return f"{rule}:{tenant}{WHOSE}{key}"


def tenant_of(lane: str) -> str | None:
    """Say whose own a key is; None: it is a rule, or all tenants'."""
    tenant, mark, _ = lane.partition(":")[2].partition(WHOSE)
    return tenant if mark else None


def names_of(lane: str) -> tuple[str, str, str | None]:
    """Name what else says something of a key: all that its tenant has, its rule; and the tenant."""
    rule, colon, rest = lane.partition(":")
    tenant, mark, _ = rest.partition(WHOSE)
    return (f"{rule}{colon}{tenant}{mark}", rule, tenant) if mark else (lane, rule, None)


def shown_lane(lane: str) -> str:
    """Return the name that a key was made of, without its tenant."""
    rule, _, rest = lane.partition(":")
    _, mark, key = rest.partition(WHOSE)
    if not mark:
        return lane
    return f"{rule}:{key}" if key else rule


def holder_of(stage: str) -> str | None:
    """Name the tenant that a stage is held for, if it is."""
    return stage[1:] if stage.startswith(HELD) else None


def bounds_of(look: Look) -> tuple[str, str]:
    """Return between which texts the places of a look are: from the first on, below the second."""
    head = head_of(look.queue, look.stage)
    if look.stage == HELD:
        first, upto = head, head_of(look.queue, chr(ord(HELD) + 1))
    else:
        first, upto = head + SEPARATOR, head + PAST
    return (look.after + PAST if look.after else first), upto


def head_of(queue: str, stage: str = USUAL) -> str:
    """Return what the places of a queue's stage begin with."""
    return f"{queue}{SEPARATOR}{stage}"


class Look(msgspec.Struct, frozen=True):
    """Which parties to look at: those of a queue and stage, after a party seen before."""

    queue: str
    stage: str = USUAL
    after: str = ""


class LaneSeen(msgspec.Struct, frozen=True):
    """A lane with work, as a look found it. `opens_seconds` is when a closed one may have room."""

    place: str
    age_seconds: float  # of its first job
    weight: int  # of its share
    room: int  # how many may start now; ENDLESS without a throttle
    opens_seconds: float | None = None
    most: int = ENDLESS  # may run at once: so that a slot freed during a look is not counted twice


class Ask(msgspec.Struct, frozen=True):
    """How many slots of one lane to claim at most: as many jobs, or lines of short ones."""

    place: str
    most: int


class LaneClaims(NamedTuple):
    """What a claim of lanes took, and the places whose key another claim had just then.

    That one may have counted before a slot was freed: who has freed it asks again.
    """

    claims: list[Claim]
    busy: list[str]


def line_length(slots: int, limit: int) -> int:
    """Say how long lines may be, if there are so many slots and there is room for so many jobs.

    Wide before deep: what runs in one slot does not run at the same time.
    """
    return max(1, min(LONGEST_LINE, limit // max(1, slots)))


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a throttle, or of one key of it. None does not limit; `rate` is per second."""

    name: str
    running: int | None = None
    per_worker: int | None = None
    rate: float | None = None
    burst: float | None = None


class RuleChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What somebody changes about a throttle: what is UNSET stays as it is, None does not limit."""

    running: int | msgspec.UnsetType | None = msgspec.UNSET
    per_worker: int | msgspec.UnsetType | None = msgspec.UNSET
    rate: float | msgspec.UnsetType | None = msgspec.UNSET
    burst: float | msgspec.UnsetType | None = msgspec.UNSET
    by: str | None = None


class Pause(msgspec.Struct, frozen=True, kw_only=True):
    """Until a moment, or for so many seconds; until it is resumed when neither is given."""

    until: datetime | None = None
    seconds: float | None = None
    reason: str | None = None
    by: str | None = None


class ThrottleInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A throttle, or a key with limits of its own or a pause, as people see it."""

    name: str
    running_limit: int | None
    per_worker: int | None
    rate: float | None
    burst: float | None
    tokens: float | None  # left of the burst now
    paused_until: datetime | None
    pause_reason: str | None
    paused_by: str | None
    set_by: str | None
    running: int
    waiting: int
    tenant: str | None = None  # whose own it is; None: a rule, or a key that all have in common
    tenant_limit: int | None = None  # how many of its own the tenant itself wants to run at once


class ShareInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A share whose weight somebody set, or that has jobs waiting."""

    name: str
    weight: int
    waiting: int
    set_by: str | None


class QueueInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody said about a queue."""

    name: str
    paused_until: datetime | None
    pause_reason: str | None
    paused_by: str | None
    aging_seconds: float | None
    running_limit: int | None = None  # at once, in all workers
    limited_by: str | None = None
    running: int | None = None  # of one with a limit: how many of its jobs have a slot


class LaneState(msgspec.Struct, frozen=True, kw_only=True):
    """How one throttle key stands: its limits, what runs, and how far its rate is used up."""

    is_known: bool
    is_paused: bool
    running: int
    here: int
    running_limit: int | None
    per_worker: int | None
    rate: float | None = None
    burst: float | None = None
    used_seconds: float = 0.0  # of refilling until the bucket is full
    owed: float = 0.0  # spent beyond what was reserved, not yet taken in


def room_of(state: LaneState) -> int:
    """Say how many more may start, rates aside."""
    if not state.is_known or state.is_paused:
        return 0
    limits = [ENDLESS]
    if state.running_limit is not None:
        limits.append(state.running_limit - state.running)
    if state.per_worker is not None:
        limits.append(state.per_worker - state.here)
    return max(0, min(limits))


def tokens_of(state: LaneState) -> float:
    """Say how much of a rate may be spent now.

    What is owed counts as if the claims had reserved it: so a debt is paid off by time.
    """
    if state.rate is None or state.burst is None:
        return float("inf")
    return state.burst - max(0.0, state.owed + state.rate * state.used_seconds)
