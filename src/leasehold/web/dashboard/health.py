"""Whether the queue is well, what is stuck, and what to do about it: the first thing to be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from leasehold.model.wording import count, span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from leasehold.model.alerts import Alert
    from leasehold.model.lanes import QueueInfo, ThrottleInfo
    from leasehold.model.schedules import ScheduleInfo
    from leasehold.model.statistics import Overview
    from leasehold.model.values import WorkerInfo

SLOW_SECONDS = 60.0  # waiting for longer, though somebody serves the queue, is worth a word
LATE_SECONDS = 60.0
DEAD_AN_HOUR = 10  # more than so many is a problem, as for alerts
FAILING_SHARE = 0.2
FAILING_LEAST = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """One thing that is not as it should be, what to do, and the page that shows it."""

    level: str  # problem, warning or note
    text: str
    remedy: str
    path: str
    query: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Healthy or not, in one line."""

    level: str
    text: str
    troubles: Sequence[Trouble]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What the verdict rests on."""

    now: datetime
    overview: Overview  # of the last hour
    workers: Sequence[WorkerInfo]  # the living ones
    queues: Sequence[QueueInfo]
    throttles: Sequence[ThrottleInfo]
    schedules: Sequence[ScheduleInfo]
    parked: Mapping[str, int]
    alerts: Sequence[Alert] = ()  # those that fire

    @property
    def paused(self) -> dict[str, QueueInfo]:
        """The queues that are paused now."""
        return {
            each.name: each
            for each in self.queues
            if each.paused_until is not None and each.paused_until > self.now
        }


def judge(signs: Signs) -> Verdict:
    """Look at everything; the worst comes first."""
    found = [trouble for rule in _RULES for trouble in rule(signs)]
    found.sort(key=lambda each: _ORDER[each.level])
    level = found[0].level if found else "ok"
    return Verdict(level=level, text=_say(level, found, signs), troubles=found)


_TOLD_ANYWAY = ("dead", "silent")  # in words of our own
_ORDER = {"problem": 0, "warning": 1, "note": 2}


def _say(level: str, found: Sequence[Trouble], signs: Signs) -> str:
    match level:
        case "problem":
            amount = sum(each.level == "problem" for each in found)
            return f"Needs attention: {count(amount, 'problem')}"
        case "warning":
            amount = sum(each.level == "warning" for each in found)
            return f"Working, with {count(amount, 'warning')}"
    if signs.overview.running or signs.overview.activity.per_second:
        return "Healthy: jobs are being done"
    return "Healthy: nothing is waiting" if signs.overview.depth.waiting == 0 else "Healthy"


def _nobody(signs: Signs) -> Iterator[Trouble]:
    waiting = signs.overview.depth.waiting
    if not signs.workers:
        yield Trouble(
            level="problem" if waiting else "warning",
            text="No worker is there"
            + (f", and {count(waiting, 'job')} wait." if waiting else "."),
            remedy="Start one: leasehold work your.module",
            path="/workers",
            query={},
        )


def _unserved(signs: Signs) -> Iterator[Trouble]:
    served = {queue for worker in signs.workers for queue in worker.queues}
    for depth in signs.overview.queues:
        is_known = depth.queue in served or depth.queue in signs.paused
        if signs.workers and depth.waiting and not is_known:
            yield Trouble(
                level="problem",
                text=f"{count(depth.waiting, 'job')} in {depth.queue}, which no worker serves.",
                remedy=f"Start one for it: leasehold work your.module --queue {depth.queue}",
                path="/jobs",
                query={"queue": depth.queue, "state": "queued"},
            )


def _slow(signs: Signs) -> Iterator[Trouble]:
    served = {queue for worker in signs.workers for queue in worker.queues}
    for depth in signs.overview.queues:
        waited = depth.oldest_seconds or 0.0
        if depth.queue in served and depth.queue not in signs.paused and waited > SLOW_SECONDS:
            full = signs.overview.running >= signs.overview.slots
            yield Trouble(
                level="warning",
                text=f"{depth.queue} lags: its oldest job has been ready for {span(waited)}.",
                remedy="All slots are in use: start more workers."
                if full
                else "Look why that job does not start.",
                path="/jobs",
                query={"queue": depth.queue, "state": "queued"},
            )


def _unknown(signs: Signs) -> Iterator[Trouble]:
    for kind, amount in signs.parked.items():
        yield Trouble(
            level="warning",
            text=f"{count(amount, 'job')} of kind {kind}, which no worker knows that met them.",
            remedy="Start a worker that has this task; they are kept until then.",
            path="/jobs",
            query={"kind": kind, "state": "queued"},
        )


def _dying(signs: Signs) -> Iterator[Trouble]:
    dead = signs.overview.activity.counts["dead"]
    if dead > 0:
        yield Trouble(
            level="problem" if dead > DEAD_AN_HOUR else "warning",
            text=f"{count(dead, 'job')} died in the last hour.",
            remedy="See what they have in common, mend it, and retry them.",
            path="/failures",
            query={"since": "1h"},
        )


def _failing(signs: Signs) -> Iterator[Trouble]:
    activity = signs.overview.activity
    failed = sum(activity.counts[fact] for fact in ("failed", "dead", "lapsed"))
    if failed >= FAILING_LEAST and (activity.failure_rate or 0.0) > FAILING_SHARE:
        yield Trouble(
            level="warning",
            text=f"{activity.failure_rate:.0%} of the attempts of the last hour failed.",
            remedy="They are tried again; see what they have in common.",
            path="/failures",
            query={"since": "1h"},
        )


def _alerting(signs: Signs) -> Iterator[Trouble]:
    for each in signs.alerts:
        if each.name in _TOLD_ANYWAY:
            continue
        yield Trouble(
            level="warning" if each.level == "warning" else "problem",
            text=f"Alert: {each.text}",
            remedy="It clears by itself; to hear no more of it for a while: leasehold alerts mute.",
            path="/queues" if each.subject else "/workers",
            query={},
        )


def _lapsing(signs: Signs) -> Iterator[Trouble]:
    lapsed = signs.overview.activity.counts["lapsed"]
    if lapsed:
        yield Trouble(
            level="warning",
            text=f"{count(lapsed, 'lease')} lapsed in the last hour: workers were killed or hung.",
            remedy="Their jobs come back by themselves. Look at the workers' logs and memory.",
            path="/workers",
            query={},
        )


def _late(signs: Signs) -> Iterator[Trouble]:
    for each in signs.schedules:
        if each.paused_at is not None or each.next_at is None:
            continue
        late = (signs.now - each.next_at).total_seconds()
        if late > LATE_SECONDS:
            yield Trouble(
                level="problem",
                text=f"Schedule {each.name} is late: it was due {span(late)} ago.",
                remedy="A worker fires schedules: see that one runs, and its log.",
                path="/schedules",
                query={},
            )


def _paused(signs: Signs) -> Iterator[Trouble]:
    for name, info in signs.paused.items():
        waiting = sum(each.waiting for each in signs.overview.queues if each.queue == name)
        reason = f" ({info.pause_reason})" if info.pause_reason else ""
        yield Trouble(
            level="note",
            text=f"Queue {name} is paused{reason}; {count(waiting, 'job')} wait.",
            remedy="Resume it when it may go on.",
            path="/queues",
            query={},
        )
    for each in signs.throttles:
        if each.paused_until is not None and each.paused_until > signs.now:
            yield Trouble(
                level="note",
                text=f"Throttle {each.name}{_of(each.tenant)} is paused; "
                f"{count(each.waiting, 'job')} wait.",
                remedy="Resume it when it may go on.",
                path="/throttles",
                query={},
            )


def _of(tenant: str | None) -> str:
    return f" of tenant {tenant}" if tenant else ""


_RULES: tuple[Callable[[Signs], Iterator[Trouble]], ...] = (
    _nobody,
    _unserved,
    _late,
    _dying,
    _slow,
    _failing,
    _unknown,
    _lapsing,
    _alerting,
    _paused,
)
