"""What jobs came to, counted over time: the facts, what is shown of them, and the arithmetic.

A fact is counted in the queue and kind that it belongs to, in spans of time. How long attempts ran
is kept in buckets, each twice as long as the one before it, for percentiles.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple

import msgspec

from leasehold.model.ids import JobId

FINE_SPAN = 10  # seconds
EVER_SPAN = 0  # all that is not in the finest span any more
DAY_SECONDS = 86_400.0
EMPTY_SECONDS = 300.0  # an empty store is sampled so often only
MOST_QUEUES = 500  # of a sample
GAP_SECONDS = 60.0  # a sample stands for what follows, for so long
LEAST_BUCKET, GREATEST_BUCKET = -13, 24  # 0.12 ms, half a year


class Level(NamedTuple):
    """A coarser span of time, and how long what was counted in it is kept."""

    span: int
    kept_seconds: float


# All that is not in the finest span any more is in each of these, and in span 0.
LEVELS = (Level(60, 3_600.0), Level(300, DAY_SECONDS), Level(3_600, 7 * DAY_SECONDS))
FINE_KEPT_SECONDS = 900.0
LONGEST_WINDOW_SECONDS = LEVELS[-1].kept_seconds


class Fact(StrEnum):
    """What an attempt came to; `LOST` when another worker had it by then, `RAN` its run time."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    DEAD = "dead"
    CANCELLED = "cancelled"
    SNOOZED = "snoozed"
    RELEASED = "released"
    LAPSED = "lapsed"
    LOST = "lost"
    RAN = "ran"


FACTS: tuple[str, ...] = tuple(fact.value for fact in Fact if fact is not Fact.RAN)
# One that was handed back or cancelled says nothing about how long it would have run.
WHOLE = frozenset({Fact.SUCCEEDED.value, Fact.FAILED.value, Fact.DEAD.value})
OTHER = "(other)"  # the kind under which those are counted for which there is no room
UNHAPPY: tuple[str, ...] = (Fact.FAILED.value, Fact.DEAD.value, Fact.LAPSED.value)


class Counted(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How often a fact was seen. For `ran`: in which bucket, and how many seconds in all."""

    queue: str
    kind: str
    fact: str
    bucket: int = 0
    count: int = 1
    seconds: float = 0.0


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """Spans of one length that begin from a moment on, before another."""

    span: int
    since: datetime
    until: datetime = datetime.max.replace(tzinfo=UTC)


class Slot(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What was counted in one step of a series."""

    at: datetime
    fact: str
    bucket: int
    count: int
    seconds: float


class Total(msgspec.Struct, frozen=True, kw_only=True):
    """How often a fact was seen ever; it only grows. `buckets` of `ran`: how many in each."""

    queue: str
    kind: str
    fact: str
    count: int
    seconds: float = 0.0
    buckets: dict[int, int] = {}


class Depth(msgspec.Struct, frozen=True, kw_only=True):
    """How many live jobs a queue had at a moment, by where they stood; queue "" is all of them.

    `oldest_seconds` is how long the one that was ready for longest had waited; None: none was.
    """

    at: datetime
    queue: str = ""
    ready: int = 0
    blocked: int = 0
    scheduled: int = 0
    failed: int = 0
    running: int = 0
    parked: int = 0
    oldest_seconds: float | None = None

    @property
    def waiting(self) -> int:
        """All that would run if there were room: not those that wait for a time to come."""
        return self.ready + self.blocked + self.parked

    @property
    def in_queue(self) -> int:
        """All that are queued or blocked, for a time to come too; not those that failed."""
        return self.waiting + self.scheduled


class RunTimes(msgspec.Struct, frozen=True, kw_only=True):
    """How long attempts ran. The average is exact; percentiles are read off buckets."""

    count: int = 0
    average_seconds: float | None = None
    p50_seconds: float | None = None
    p95_seconds: float | None = None
    p99_seconds: float | None = None


class Activity(msgspec.Struct, frozen=True, kw_only=True):
    """What attempts came to in a window of time: of all, of one queue, or of one kind."""

    queue: str = ""
    kind: str = ""
    counts: dict[str, int]  # by fact, 0 too
    per_second: float  # attempts that succeeded
    failure_rate: float | None  # of those that succeeded, failed, died or lapsed; None without any
    ran: RunTimes


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """One look: how it stands now, and what happened in the window before."""

    at: datetime
    sampled_at: datetime  # when jobs were counted
    window_seconds: float
    queues: list[Depth]
    depth: Depth  # all queues
    workers: int  # those that were seen lately
    slots: int  # how many jobs these can run at once
    activity: Activity
    by_queue: list[Activity]
    by_kind: list[Activity]  # the busiest first
    in_queue: int
    failed_24h: int  # jobs that ended dead
    average_seconds: float | None

    @property
    def running(self) -> int:
        return self.depth.running

    @property
    def oldest_seconds(self) -> float | None:
        return self.depth.oldest_seconds


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a series, from `at` on; the last one is not over yet."""

    at: datetime
    seconds: float
    counts: dict[str, int]  # by fact, 0 too
    ran: RunTimes
    depth: Depth | None = None  # the last sample in it; None when there is none, and for a kind


class Unhappy(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt that did not end well, and what became of its job."""

    job_id: JobId
    kind: str
    queue: str
    error: str | None
    at: datetime
    is_dead: bool  # its job is, now
    is_waiting: bool  # its job waits for its next try


def bucket_of(seconds: float) -> int:
    """Return the bucket of a run time: number b is from 2**(b-1) up to 2**b seconds."""
    bucket = math.frexp(seconds)[1] if seconds > 0 else LEAST_BUCKET
    return max(LEAST_BUCKET, min(GREATEST_BUCKET, bucket))


class Histogram:
    """Run times by bucket, and what can be read off them."""

    __slots__ = ("_counts", "_seconds")

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._seconds: dict[int, float] = {}

    def add(self, bucket: int, count: int, seconds: float) -> None:
        self._counts[bucket] += count
        self._seconds[bucket] = self._seconds.get(bucket, 0.0) + seconds

    def times(self) -> RunTimes:
        count = self._counts.total()
        if count <= 0:
            return RunTimes()
        return RunTimes(
            count=count,
            average_seconds=sum(self._seconds.values()) / count,
            p50_seconds=self.percentile(0.50),
            p95_seconds=self.percentile(0.95),
            p99_seconds=self.percentile(0.99),
        )

    def percentile(self, share: float) -> float | None:
        """Say how long that share of the attempts ran at most; within a factor of two."""
        rank = share * self._counts.total()
        for bucket in sorted(self._counts):
            count = self._counts[bucket]
            if 0 < count >= rank:
                return inside(bucket, max(0.0, rank / count), self._seconds[bucket] / count)
            rank -= count
        return None


def inside(bucket: int, share: float, mean: float) -> float:
    """Place a share of a bucket's attempts in it, so that their mean is what it is.

    Alike ones lie close together: where the mean is near an edge, so are nearly all.
    """
    low, high = (0.0 if bucket == LEAST_BUCKET else 2.0 ** (bucket - 1)), 2.0**bucket
    where = (mean - low) / (high - low)
    if where <= 0.0 or where >= 1.0:  # rounding, or beyond the last bucket
        return mean
    return float(low + (high - low) * share ** (1.0 / where - 1.0))


def counts_of(facts: Mapping[str, int]) -> dict[str, int]:
    """Return a count for each fact, 0 too."""
    return {fact: facts.get(fact, 0) for fact in FACTS}


def failure_rate(counts: Mapping[str, int]) -> float | None:
    """Return which share of the attempts that ended one way or the other did not end well."""
    unhappy = sum(counts[fact] for fact in UNHAPPY)
    whole = counts[Fact.SUCCEEDED.value] + unhappy
    return unhappy / whole if whole else None


def activity_of(
    counted: Iterable[Counted], window_seconds: float, *, queue: str = "", kind: str = ""
) -> Activity:
    """Add up what was counted."""
    facts: Counter[str] = Counter()
    ran = Histogram()
    for each in counted:
        if each.fact == Fact.RAN.value:
            ran.add(each.bucket, each.count, each.seconds)
        else:
            facts[each.fact] += each.count
    counts = counts_of(facts)
    return Activity(
        queue=queue,
        kind=kind,
        counts=counts,
        per_second=counts[Fact.SUCCEEDED.value] / window_seconds,
        failure_rate=failure_rate(counts),
        ran=ran.times(),
    )


def step_of(window_seconds: float) -> int:
    """Return how many seconds apart the points of a series are: as fine as all of it is kept."""
    if window_seconds <= FINE_KEPT_SECONDS:
        return FINE_SPAN
    return next(level.span for level in LEVELS if window_seconds <= level.kept_seconds)


def ranges_of(since: datetime, step: int) -> list[Range]:
    """Say where all that was counted since then stands, in spans that fit into steps.

    `since` is the beginning of a step. What is old is in the coarse span, what is new in the
    finest one, and nothing is in both.
    """
    spans = {FINE_SPAN, step}
    return [Range(span=span, since=since) for span in sorted(spans)]


def ranges_for_sum(since: datetime, window_seconds: float) -> list[Range]:
    """Say the same for a sum: as few spans as there are, and finer ones where it begins."""
    fine, step = Range(span=FINE_SPAN, since=since), step_of(window_seconds)
    if step == FINE_SPAN:
        return [fine]
    coarse = LEVELS[-1].span
    begin = datetime.fromtimestamp(-(-since.timestamp() // coarse) * coarse, UTC)
    if window_seconds > DAY_SECONDS:
        return [fine, Range(span=coarse, since=since)]
    if window_seconds <= coarse:
        return [fine, Range(span=step, since=since)]
    return [fine, Range(span=step, since=since, until=begin), Range(span=coarse, since=begin)]


def sum_depths(depths: Sequence[Depth], at: datetime) -> Depth:
    """Add up the queues of one moment."""
    ages = [each.oldest_seconds for each in depths if each.oldest_seconds is not None]
    return Depth(
        at=at,
        ready=sum(each.ready for each in depths),
        blocked=sum(each.blocked for each in depths),
        scheduled=sum(each.scheduled for each in depths),
        failed=sum(each.failed for each in depths),
        running=sum(each.running for each in depths),
        parked=sum(each.parked for each in depths),
        oldest_seconds=max(ages, default=None),
    )


def news_of(before: Sequence[Depth], now: Sequence[Depth], moment: datetime) -> list[Depth]:
    """Say what of a sample is to be written down: what is there, and what is not there any more.

    That nothing is there is written down every few minutes only.
    """
    now = deepest(now)
    still = {each.queue for each in now}
    gone = [
        Depth(at=moment, queue=each.queue)
        for each in before
        if each.queue not in still and (each.in_queue or each.failed or each.running)
    ]
    if now or gone:
        return [*now, *gone]
    is_known = before and (moment - before[0].at).total_seconds() < EMPTY_SECONDS
    return [] if is_known else [Depth(at=moment)]


def deepest(depths: Sequence[Depth]) -> Sequence[Depth]:
    """Leave the deepest queues, and add the others up: queues are few, or should be."""
    if len(depths) <= MOST_QUEUES:
        return depths
    ordered = sorted(depths, key=lambda each: each.in_queue + each.failed + each.running)
    others = sum_depths(ordered[:-MOST_QUEUES], ordered[0].at)
    return [*ordered[-MOST_QUEUES:], msgspec.structs.replace(others, queue=OTHER)]


def fill(moments: Iterable[datetime], depths: Sequence[Depth]) -> list[Depth | None]:
    """Say how deep it was at each moment: as at the last sample, unless that is too old."""
    found: list[Depth | None] = []
    last: Depth | None = None
    known = {each.at: each for each in depths}
    for moment in moments:
        last = known.get(moment, last)
        if last is None:
            found.append(None)
            continue
        is_empty = not (last.in_queue or last.failed or last.running)
        age = (moment - last.at).total_seconds()
        is_fresh = age <= (EMPTY_SECONDS + GAP_SECONDS if is_empty else GAP_SECONDS)
        found.append(msgspec.structs.replace(last, at=moment) if is_fresh else None)
    return found


def totals_of(counted: Iterable[Counted]) -> list[Total]:
    """Bring the buckets of each queue, kind and fact together; they come in that order."""
    totals: dict[tuple[str, str, str], list[Counted]] = {}
    for each in counted:
        totals.setdefault((each.queue, each.kind, each.fact), []).append(each)
    return [
        Total(
            queue=queue,
            kind=kind,
            fact=fact,
            count=sum(each.count for each in parts),
            seconds=sum(each.seconds for each in parts),
            buckets={each.bucket: each.count for each in parts} if fact == Fact.RAN.value else {},
        )
        for (queue, kind, fact), parts in totals.items()
    ]
