"""What a worker was asked to do, checked."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leasehold.errors import BadOption
from leasehold.model.durations import Duration, seconds

if TYPE_CHECKING:
    from leasehold.model.lanes import Rule
    from leasehold.model.throttles import Throttle
    from leasehold.registry import Registry
    from leasehold.scheduling import Schedule

DEFAULT_SLOTS = 16
SHORTEST_LEASE_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Queues with their weights (None: strict order), slots, and times in seconds."""

    queues: tuple[str, ...]
    weights: tuple[float, ...] | None
    slots: int
    queue_slots: Mapping[str, int]
    leases: Mapping[str, float]  # by kind
    poll_seconds: float
    grace_seconds: float
    rules: tuple[Rule, ...] = ()  # of the throttles that its code declares
    schedules: tuple[Schedule, ...] = ()
    logs_arguments: bool = False

    @property
    def shortest_lease_seconds(self) -> float:
        return min(self.leases.values())

    def queue_order(self, random_source: random.Random) -> Sequence[str]:
        """Order the queues for one claim: as listed, or drawn by weight."""
        if self.weights is None:
            return self.queues
        drawn = [
            (random_source.random() ** (1 / weight), queue)
            for queue, weight in zip(self.queues, self.weights, strict=True)
        ]
        return [queue for _, queue in sorted(drawn, reverse=True)]


def read_settings(
    registry: Registry,
    *,
    queues: Sequence[str] | Mapping[str, float] | None,
    slots: int | Mapping[str, int],
    lease: Duration,
    poll: Duration,
    grace: Duration,
    throttles: Sequence[Throttle] = (),
    schedules: Sequence[Schedule] = (),
    log_arguments: bool = False,
) -> Settings:
    """Check a worker's options and fill in what follows from its tasks."""
    tasks = list(registry)
    if not tasks:
        raise BadOption("a worker needs at least one task")
    if isinstance(queues, str):
        raise BadOption(f"queues={queues!r}: give a list, [{queues!r}]")
    names = tuple(dict.fromkeys(queues if queues is not None else _home_queues(registry)))
    if not names:
        raise BadOption("queues is empty: name at least one")
    worker_lease = seconds(lease, name="lease")
    leases = {task.name: task.options.lease_seconds or worker_lease for task in tasks}
    _check_leases(leases)
    total, by_queue = _read_slots(slots, names)
    return Settings(
        queues=names,
        weights=_read_weights(queues) if isinstance(queues, Mapping) else None,
        slots=total,
        queue_slots=by_queue,
        leases=leases,
        poll_seconds=max(0.01, seconds(poll, name="poll")),
        grace_seconds=seconds(grace, name="grace"),
        rules=_gather_rules(registry, throttles),
        schedules=_gather_schedules(registry, schedules),
        logs_arguments=log_arguments,
    )


def _gather_schedules(registry: Registry, given: Sequence[Schedule]) -> tuple[Schedule, ...]:
    """Collect the schedules of the tasks' module and those given; one name must mean one thing."""
    found: dict[tuple[str, str], Schedule] = {}
    for each in (*registry.schedules, *given):
        known = found.setdefault((each.declared.tenant, each.name), each)
        if known.declared != each.declared:
            raise BadOption(f"schedule {each.name!r} is declared twice, not alike")
    return tuple(found.values())


def _gather_rules(registry: Registry, given: Sequence[Throttle]) -> tuple[Rule, ...]:
    """Collect the throttles of the tasks and those given; one name must mean one thing."""
    declared = [task.options.throttle for task in registry if task.options.throttle is not None]
    rules: dict[str, Rule] = {}
    for throttle in (*declared, *given):
        known = rules.setdefault(throttle.name, throttle.rule)
        if known != throttle.rule:
            raise BadOption(f"throttle {throttle.name!r} is declared twice, with other limits")
    return tuple(rules.values())


def _home_queues(registry: Registry) -> Sequence[str]:
    return [task.options.queue for task in registry]


def _check_leases(leases: Mapping[str, float]) -> None:
    for kind, lease_seconds in leases.items():
        if lease_seconds < SHORTEST_LEASE_SECONDS:
            raise BadOption(f"{kind}: a lease of {lease_seconds:g} s is too short; at least 1 s")


def _read_weights(queues: Mapping[str, float]) -> tuple[float, ...]:
    for queue, weight in queues.items():
        if not weight > 0:
            raise BadOption(f"queue {queue!r} has weight {weight!r}: must be over 0")
    return tuple(float(weight) for weight in queues.values())


def _read_slots(
    slots: int | Mapping[str, int], queues: Sequence[str]
) -> tuple[int, Mapping[str, int]]:
    if isinstance(slots, int):
        if slots < 1:
            raise BadOption(f"slots={slots}: at least 1")
        return slots, {}
    unknown = sorted(slots.keys() - set(queues))
    if unknown:
        raise BadOption(f"slots names queue {unknown[0]!r}, which this worker does not serve")
    missing = [queue for queue in queues if queue not in slots]
    if missing:
        raise BadOption(f"slots says nothing about queue {missing[0]!r}")
    for queue, count in slots.items():
        if count < 1:
            raise BadOption(f"slots of queue {queue!r} is {count}: at least 1")
    return sum(slots.values()), dict(slots)
