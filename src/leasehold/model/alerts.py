"""What is not as it should be: the rules, what they say of the facts, and alerts as they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

import msgspec

from leasehold.model.statistics import Depth
from leasehold.model.wording import span

ALL = ""  # the subject of what is about no single queue
CLEAR_SHARE = 0.8  # of a limit: an alert that fired clears there, not at the limit itself


class Fact(StrEnum):
    """What a rule looks at, and its name."""

    DEPTH = "depth"  # jobs of a queue that are ready
    WAITING = "waiting"  # seconds that the oldest ready job of a queue has waited
    DEAD = "dead"  # jobs that died lately
    SILENT = "silent"  # seconds since any worker was seen


_OF_DEPTHS = frozenset({Fact.DEPTH.value, Fact.WAITING.value})


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """When to fire: above a limit, which a queue may have of its own; None is never.

    `within_seconds` is how far back dead jobs are counted. `remind_seconds` tells it again that
    often as long as it fires.
    """

    fact: Fact
    above: float
    queues: Mapping[str, float | None] = {}
    within_seconds: float = 3_600.0
    level: str = "warning"
    sinks: tuple[str, ...] = ("log",)
    remind_seconds: float | None = None

    @property
    def name(self) -> str:
        return self.fact.value


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen in one look; `died` by queue, for the time that the rule counts.

    `at` is when the look began; depths say themselves when they were counted.
    """

    at: datetime
    depths: Sequence[Depth] = ()
    died: Mapping[str, int] = {}
    silent_seconds: float = 0.0


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule says of one subject. Between its limit and 80 % of it all stays as it was.

    `seen_at` is when what it rests on was seen, None: just now. It does not change an alert that
    has changed since: of two who look, one may have counted long before the other.
    """

    name: str
    subject: str
    level: str
    value: float
    bound: float
    is_above: bool
    is_below: bool
    seen_at: datetime | None = None


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """One alert as it stands. `told_at` is None until all its sinks were told of this state."""

    name: str
    subject: str
    level: str
    is_firing: bool
    since: datetime
    value: float
    bound: float
    seen_at: datetime
    told_at: datetime | None
    sent: tuple[str, ...] = ()
    tries: int = 0
    reminders: int = 0
    muted_until: datetime | None = None

    @property
    def state(self) -> str:
        return "firing" if self.is_firing else "clear"

    @property
    def text(self) -> str:
        """Say it in a sentence."""
        return describe(self)


class Mute(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that tells nobody until then."""

    name: str
    until: datetime
    set_by: str


def judge(rules: Iterable[Rule], facts: Facts, known: Iterable[Alert]) -> list[Judged]:
    """Hold the facts against the rules; what fires and is not among the facts any more is clear."""
    seen = {(each.name, each.subject): each for rule in rules for each in _apply(rule, facts)}
    gone = [
        Judged(
            name=each.name,
            subject=each.subject,
            level=each.level,
            value=0.0,
            bound=each.bound,
            is_above=False,
            is_below=True,
            seen_at=_seen_at(each.name, facts),
        )
        for each in known
        if each.is_firing and (each.name, each.subject) not in seen
    ]
    return [*seen.values(), *gone]


def _apply(rule: Rule, facts: Facts) -> Iterable[Judged]:
    for subject, value in _values(rule, facts).items():
        bound = rule.queues.get(subject, None if subject in rule.queues else rule.above)
        if bound is not None:
            yield Judged(
                name=rule.name,
                subject=subject,
                level=rule.level,
                value=value,
                bound=bound,
                is_above=value > bound,
                is_below=value <= bound * _clear_share(rule.fact),
                seen_at=_seen_at(rule.name, facts),
            )


def _seen_at(name: str, facts: Facts) -> datetime:
    """Say when what a rule rests on was seen: depths may have been counted a while ago."""
    counted = [each.at for each in facts.depths] if name in _OF_DEPTHS else []
    return min([facts.at, *counted])


def _values(rule: Rule, facts: Facts) -> dict[str, float]:
    """Return what the rule looks at, by subject; a queue that is not there has nothing."""
    match rule.fact:
        case Fact.DEPTH:
            depths = {each.queue: float(each.ready + each.parked) for each in facts.depths}
            return dict.fromkeys(rule.queues, 0.0) | depths
        case Fact.WAITING:
            ages = {each.queue: each.oldest_seconds or 0.0 for each in facts.depths}
            return dict.fromkeys(rule.queues, 0.0) | ages
        case Fact.DEAD:
            own = {queue: float(facts.died.get(queue, 0)) for queue in rule.queues}
            return {ALL: float(sum(facts.died.values()))} | own
        case Fact.SILENT:
            return {ALL: facts.silent_seconds}


def _clear_share(fact: Fact) -> float:
    return 1.0 if fact is Fact.SILENT else CLEAR_SHARE  # a worker that comes back is there


def describe(alert: Alert) -> str:
    """Say it in a sentence: what is wrong, or that it is not any more."""
    words = _FIRING if alert.is_firing else _CLEAR
    pattern = words.get(alert.name, alert.name)
    of_queue = f" of queue {alert.subject}" if alert.subject else ""
    value, bound = alert.value, alert.bound
    return pattern.format(
        queue=alert.subject,
        of=of_queue,
        value=f"{value:,.0f}",
        bound=f"{bound:,.0f}",
        span=span(value),
        most=span(bound),
    )


_FIRING = {
    "depth": "queue {queue} has {value} jobs ready, more than {bound}",
    "waiting": "a job of queue {queue} waits for {span}, more than {most}",
    "dead": "{value} jobs{of} died lately, more than {bound}",
    "silent": "no worker was seen for {span}",
}
_CLEAR = {
    "depth": "cleared: queue {queue} has {value} jobs ready",
    "waiting": "cleared: the oldest job of queue {queue} waits for {span}",
    "dead": "cleared: {value} jobs{of} died lately",
    "silent": "cleared: a worker is there again",
}
