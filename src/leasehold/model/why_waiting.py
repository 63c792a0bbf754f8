"""Reasons of jobs that are due and wait for a worker, in the order of what weighs more."""

from __future__ import annotations

from datetime import datetime, timedelta

from leasehold.model.causes import Cause, CauseRule, Reason, command, so_many, when
from leasehold.model.facts import PARKED, Facts, Halt, LaneFacts, NeedsFacts
from leasehold.model.lanes import BEHIND
from leasehold.model.values import PRIORITY_LIMIT


def say_behind(facts: Facts) -> Cause | None:
    if facts.stage != BEHIND or facts.needs is not None:
        return None
    holder = facts.behind
    key = f"key {facts.key!r}" if facts.key else "its key"
    return Cause(
        reason=Reason.BEHIND,
        text=f"waits until job {holder or '?'}, which has {key}, runs no more",
        advice="wait" if holder is None else f"wait, or {command('jobs', 'cancel', holder)}",
        jobs=() if holder is None else (holder,),
    )


def say_needs(facts: Facts) -> Cause | None:
    needs = facts.needs
    if needs is None:
        return None
    lacking = [each for each in needs.states if each[1] in _lacking(needs)]
    if not lacking:
        return Cause(reason=Reason.NEEDS, text=_AT_ONCE, advice="if nobody does, start a worker")
    hopeless = [job_id for job_id, state in lacking if state in _ENDED_BADLY]
    named = " and ".join(f"job {job_id} ({state})" for job_id, state in lacking[:_SHOWN])
    others = f" and {len(lacking) - _SHOWN:,} more" if len(lacking) > _SHOWN else ""
    first = hopeless[0] if hopeless else lacking[0][0]
    asked = command("jobs", "retry", first) if hopeless else command("why", first)
    return Cause(
        reason=Reason.NEEDS,
        text=f"waits for {'any of ' if needs.any else ''}{named}{others}",
        advice=f"retry that one: {asked}" if hopeless else f"wait, or ask about that one: {asked}",
        jobs=tuple(job_id for job_id, _ in lacking[:_SHOWN]),
    )


_SHOWN = 3
_AT_ONCE = "what it waited for has ended: a worker should let it go within a second"
_ENDED_BADLY = frozenset({"dead", "cancelled", "gone"})
_LIVE = frozenset({"queued", "blocked", "running", "failed"})


def _lacking(needs: NeedsFacts) -> frozenset[str]:
    """Say in which states a job is not what one that needs it waits for."""
    return _LIVE if needs.even_if_failed else _LIVE | _ENDED_BADLY


# -- who could take it -----------------------------------------------------------------------------
def say_queue_paused(facts: Facts) -> Cause | None:
    halt = facts.queue_pause
    if halt is None:
        return None
    return Cause(
        reason=Reason.QUEUE_PAUSED,
        text=f"queue {halt.name} is {_paused(halt)}",
        advice=f"wait, or {command('queues', 'resume', halt.name)}",
        until=halt.until,
    )


def say_queue_full(facts: Facts) -> Cause | None:
    limit = facts.queue_limit
    if limit is None or facts.queue_running < limit:
        return None
    raised = command("queues", "limit", facts.queue, "--running", limit + 1)
    are = "is" if facts.queue_running == 1 else "are"
    full = f"is full: {facts.queue_running:,} {are} running of {limit:,} that may"
    return Cause(
        reason=Reason.QUEUE_FULL,
        text=f"queue {facts.queue} {full if limit else 'may run none at all'}",
        advice=f"wait until one ends, or raise the limit: {raised}",
    )


def say_tenant_full(facts: Facts) -> Cause | None:
    limit = facts.tenant_limit
    if limit is None or facts.tenant_running < limit:
        return None
    raised = command("quotas", "set", facts.tenant, "--running", limit + 1)
    are = "is" if facts.tenant_running == 1 else "are"
    full = f"runs as many as it may: {facts.tenant_running:,} {are} running of {limit:,}"
    return Cause(
        reason=Reason.TENANT_FULL,
        text=f"tenant {facts.tenant} {full if limit else 'may run none at all'}",
        advice=f"wait until one ends, or raise the quota: {raised}",
    )


def say_no_worker(facts: Facts) -> Cause | None:
    if facts.fleet.alive:
        return None
    return Cause(
        reason=Reason.NO_WORKER,
        text="no worker is alive",
        advice=f"start one: {command('work', 'your.tasks', '--queue', facts.queue)}",
    )


def say_queue_unserved(facts: Facts) -> Cause | None:
    fleet = facts.fleet
    if not fleet.alive or fleet.serving:
        return None
    living = so_many(fleet.alive, "worker is", "workers are")
    others = ", ".join(fleet.queues) or "no queue"
    return Cause(
        reason=Reason.QUEUE_UNSERVED,
        text=f"no worker serves queue {facts.queue}: {living} alive, for {others}",
        advice=f"start one that does: {command('work', 'your.tasks', '--queue', facts.queue)}",
    )


def say_unknown_kind(facts: Facts) -> Cause | None:
    fleet = facts.fleet
    if not fleet.serving or fleet.knowing:
        return None
    serving = so_many(fleet.serving, "worker serves", "workers serve")
    return Cause(
        reason=Reason.UNKNOWN_KIND,
        text=f"{serving} queue {facts.queue}, and none knows kind {facts.kind}"
        + (": the job is set aside" if facts.place == PARKED or facts.stage[:1] == "=" else ""),
        advice="start a worker whose code has this task; or the kind is misspelt: cancel the job",
    )


# -- its throttle ----------------------------------------------------------------------------------
def say_throttle_unknown(facts: Facts) -> Cause | None:
    lane = facts.lane
    if lane is None or lane.is_known:
        return None
    rule = lane.key.partition(":")[0]
    return Cause(
        reason=Reason.THROTTLE_UNKNOWN,
        text=f"nobody has declared throttle {rule}, so nothing says how many may run",
        advice="start a worker whose code declares it, or "
        f"{command('throttles', 'set', rule, '--running', '2')}",
    )


def say_throttle_paused(facts: Facts) -> Cause | None:
    halt = None if facts.lane is None else facts.lane.pause
    if halt is None:
        return None
    return Cause(
        reason=Reason.THROTTLE_PAUSED,
        text=f"throttle {halt.name} is {_paused(halt)}",
        advice="wait: its tenant can resume it"
        if halt.is_tenants_word
        else f"wait, or {command('throttles', 'resume', halt.name, *_of(halt.tenant))}",
        until=halt.until,
    )


def _of(tenant: str | None) -> tuple[str, ...]:
    """Say in a command whose own throttle is meant."""
    return () if tenant is None else ("--tenant", tenant)


def say_throttled(facts: Facts) -> Cause | None:
    lane = facts.lane
    if lane is None or not lane.is_known or lane.pause is not None or lane.room > 0:
        return None
    option, limit = _tight_limit(lane)
    raised = command("throttles", "set", lane.key, option, limit + 1, *_of(lane.tenant))
    return Cause(
        reason=Reason.THROTTLED,
        text=f"throttled: {_full(lane)}",
        advice=f"wait until one ends, or raise the limit: {raised}",
        jobs=lane.jobs,
    )


def _tight_limit(lane: LaneFacts) -> tuple[str, int]:
    """Say which limit it is that leaves no room: that of all workers, else each one's own."""
    if lane.running_limit is not None and lane.running >= lane.running_limit:
        return "--running", lane.running_limit
    return "--per-worker", lane.per_worker or 0


def _full(lane: LaneFacts) -> str:
    option, limit = _tight_limit(lane)
    if limit == 0:
        return f"{lane.key} may run none at all"
    if option == "--running":
        are = "is" if lane.running == 1 else "are"
        return f"{lane.running} {are} running of {limit} that {lane.key} may"
    return f"each worker runs the {limit} of {lane.key} that it may"


def say_rate(facts: Facts) -> Cause | None:
    lane = facts.lane
    if lane is None or lane.rate is None or lane.burst is None or lane.tokens is None:
        return None
    needed = min(1.0 if facts.cost is None else facts.cost, lane.burst)
    # As the claim has it: enough for this job, and in no case with a debt.
    if lane.tokens >= needed and lane.tokens > 0:
        return None
    until = _after(facts.moment, (needed - lane.tokens) / lane.rate)
    return Cause(
        reason=Reason.RATE,
        text=f"the rate of {lane.key} is used up until {when(until)}: "
        f"{max(0.0, lane.tokens):g} of {lane.burst:g} left, {needed:g} needed",
        advice=f"wait, or raise it: {_raised(lane, lane.rate, lane.burst)}",
        until=until,
    )


def _raised(lane: LaneFacts, rate: float, burst: float) -> str:
    """Say how to double a rate, by the time in which it comes to a number of units."""
    times = (("1s", 1), ("1m", 60), ("1h", 3_600), ("1d", 86_400))
    name, span = next((each for each in times if rate * each[1] >= 1), times[-1])
    twice = f"{2 * rate * span:.2f}/{name}"
    said = ("--rate", twice, "--burst", f"{burst:g}", *_of(lane.tenant))
    return command("throttles", "set", lane.key, *said)


# -- its turn --------------------------------------------------------------------------------------
def say_suspect(facts: Facts) -> Cause | None:
    if facts.lapses == 0:
        return None
    before = f"; {so_many(facts.before, 'such job stands', 'such jobs stand')} before it"
    return Cause(
        reason=Reason.SUSPECT,
        text="a worker died or went silent under it, so it runs alone, one such job at a time in "
        f"each worker{'' if facts.is_for_tenant else before}",
        advice="wait; if it kills its worker again, that is counted as a failure",
    )


def say_no_slot(facts: Facts) -> Cause | None:
    fleet = facts.fleet
    if not fleet.knowing or fleet.busy < fleet.slots:
        return None
    slots = "the only slot" if fleet.slots == 1 else f"all {fleet.slots:,} slots"
    workers = so_many(fleet.knowing, "worker that knows it", "workers that know it")
    return Cause(
        reason=Reason.NO_SLOT,
        text=f"{slots} of {workers} {'is' if fleet.slots == 1 else 'are'} busy",
        advice="wait, or start more workers, or give them more slots (--slots)",
    )


def say_turn(facts: Facts) -> Cause | None:
    if not facts.share or not facts.shares:
        return None
    others = so_many(facts.shares, "other share has", "other shares have")
    waiting = "others have" if facts.is_for_tenant else others
    return Cause(
        reason=Reason.TURN,
        text=f"waits for the turn of its share {facts.share}: {waiting} jobs waiting",
        advice="wait, or let it have more turns: "
        f"{command('shares', 'set', facts.share, '--weight', '2')}",
    )


def say_in_line(facts: Facts) -> Cause | None:
    if not facts.before or facts.lapses > 0:  # say_suspect has said so
        return None
    top = facts.priority if facts.top_priority is None else facts.top_priority
    above = min(PRIORITY_LIMIT, top + 1)
    jobs = "jobs" if facts.is_for_tenant else so_many(facts.before, "job", "jobs")
    stand = "stands" if facts.before == 1 and not facts.is_for_tenant else "stand"
    return Cause(
        reason=Reason.IN_LINE,
        text=f"{jobs} of its {'lane' if _is_in_lane(facts) else 'queue'} {stand} before it",
        advice="wait, or let it go first: "
        f"{command('jobs', 'reprioritise', facts.job_id, '--priority', above)}",
    )


def _is_in_lane(facts: Facts) -> bool:
    return facts.lane is not None or bool(facts.share)


def _paused(halt: Halt) -> str:
    until = "until it is resumed" if halt.until is None else f"until {when(halt.until)}"
    who = f" by {halt.by}" if halt.by else ""
    return f"paused {until}{who}" + (f" ({halt.reason})" if halt.reason else "")


def _after(moment: datetime, seconds: float) -> datetime | None:
    try:
        return moment + timedelta(seconds=seconds)
    except OverflowError:
        return None


NEXT = Cause(
    reason=Reason.NEXT,
    text="nothing holds it up: a worker should take it within a second",
    advice=f"if none does, see {command('doctor')}; and whether the workers that know it have used "
    "up the slots they give to its queue",
)

# What holds up a job that is for later, too, unless somebody does something about it.
LASTING_RULES: tuple[CauseRule, ...] = (
    say_queue_paused,
    say_no_worker,
    say_queue_unserved,
    say_unknown_kind,
    say_throttle_unknown,
    say_throttle_paused,
)
WAITING_RULES: tuple[CauseRule, ...] = (
    say_behind,
    say_needs,
    *LASTING_RULES,
    say_queue_full,
    say_tenant_full,
    say_throttled,
    say_rate,
    say_suspect,
    say_no_slot,
    say_turn,
    say_in_line,
)
