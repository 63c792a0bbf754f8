"""Reasons of jobs that do not wait for a worker: ended, running, or for later."""

from __future__ import annotations

from leasehold.model.causes import Cause, CauseRule, Reason, briefly, command, when
from leasehold.model.facts import Facts
from leasehold.model.needs import FORSAKEN_WORDS

KEYLESS_WORDS = "encrypted, and can't be read: "  # how the reason of one begins that lacks its key
REPLACED_WORDS = (
    "replaced by job "  # how the error of a job begins that a newer one of its key ended
)


# -- ended -----------------------------------------------------------------------------------------
def say_succeeded(facts: Facts) -> Cause | None:
    if facts.state != "succeeded":
        return None
    return Cause(
        reason=Reason.SUCCEEDED,
        text=f"succeeded at {when(facts.finished_at)}",
        advice="nothing to do; to do it again, enqueue it anew",
    )


def say_dead(facts: Facts) -> Cause | None:
    if facts.state != "dead":
        return None
    spent = f"after {facts.failures} of {facts.max_attempts} failures"
    return Cause(
        reason=Reason.DEAD,
        text=f"dead since {when(facts.finished_at)}, {spent}: {briefly(facts.error)}",
        advice=f"mend what it says, then {command('jobs', 'retry', facts.job_id)}",
    )


def say_replaced(facts: Facts) -> Cause | None:
    if facts.state != "cancelled" or not (facts.error or "").startswith(REPLACED_WORDS):
        return None
    newer = briefly(facts.error).removeprefix(REPLACED_WORDS)
    return Cause(
        reason=Reason.REPLACED,
        text=f"{briefly(facts.error)}, which has its key, at {when(facts.finished_at)}",
        advice=f"ask about that one: {command('why', newer)}",
    )


def say_forsaken(facts: Facts) -> Cause | None:
    if facts.state != "cancelled" or not (facts.error or "").startswith(FORSAKEN_WORDS):
        return None
    return Cause(
        reason=Reason.FORSAKEN,
        text=f"{briefly(facts.error)}, at {when(facts.finished_at)}",
        advice="retry what it needs, and then this one, which waits for it again: "
        f"{command('jobs', 'retry', facts.job_id)}",
    )


def say_cancelled(facts: Facts) -> Cause | None:
    if facts.state != "cancelled":
        return None
    return Cause(
        reason=Reason.CANCELLED,
        text=f"{briefly(facts.error) or 'cancelled'}, at {when(facts.finished_at)}",
        advice=f"to run it all the same: {command('jobs', 'retry', facts.job_id)}",
    )


# -- running ---------------------------------------------------------------------------------------
def say_lapsed(facts: Facts) -> Cause | None:
    if facts.lease_until is None or facts.lease_until > facts.moment:
        return None
    return Cause(
        reason=Reason.LAPSED,
        text=f"worker {facts.worker} let its lease end at {when(facts.lease_until)}",
        advice=(
            "wait: a living worker takes it back soon"
            if facts.fleet.alive
            else "start a worker, any: it takes it back"
        ),
    )


def say_stopping(facts: Facts) -> Cause | None:
    if not facts.cancel_requested:
        return None
    who = f" by {facts.cancelled_by}" if facts.cancelled_by else ""
    return Cause(
        reason=Reason.STOPPING,
        text=f"runs on {facts.worker}, and was told to stop{who}",
        advice="its handler is interrupted and must return; whatever it ends as, it ends cancelled",
    )


def say_running(facts: Facts) -> Cause:
    return Cause(
        reason=Reason.RUNNING,
        text=f"runs on {facts.worker} since {when(facts.claimed_at)}, attempt {facts.attempt}",
        advice=f"nothing to do; to stop it: {command('jobs', 'cancel', facts.job_id)}",
    )


# -- for later -------------------------------------------------------------------------------------
def say_due(facts: Facts) -> Cause | None:
    if facts.run_at is None or facts.run_at > facts.moment:
        return None
    return Cause(
        reason=Reason.DUE,
        text=f"due since {when(facts.run_at)}, and not yet moved to those that may run",
        advice=(
            "wait: a living worker does so within a second"
            if facts.fleet.alive
            else "start a worker, any: they move what is due"
        ),
    )


def say_retrying(facts: Facts) -> Cause | None:
    is_charged_lapse = facts.last_outcome == "lapsed" and facts.failures > 0
    if facts.last_outcome != "failed" and not is_charged_lapse:
        return None
    why = briefly(facts.error) or "its worker died under it"
    tries = f"failed {facts.failures} of {facts.max_attempts} times, last with: {why}"
    return Cause(
        reason=Reason.RETRYING,
        text=f"{tries}; next try at {when(facts.run_at)}",
        advice=f"wait, or try it now: {command('jobs', 'retry', facts.job_id)}",
        until=facts.run_at,
    )


def say_keyless(facts: Facts) -> Cause | None:
    if facts.last_outcome != "snoozed" or not (facts.error or "").startswith(KEYLESS_WORDS):
        return None
    return Cause(
        reason=Reason.MISSING_KEY,
        text=f"{briefly(facts.error)}; the next try is at {when(facts.run_at)}",
        advice="give its workers the key; nothing was counted against it, and it is never given up",
        until=facts.run_at,
    )


def say_snoozed(facts: Facts) -> Cause | None:
    if facts.last_outcome != "snoozed":
        return None
    return Cause(
        reason=Reason.SNOOZED,
        text=f"snoozed: its handler asked to come back at {when(facts.run_at)}",
        advice="wait; nothing was counted against it",
        until=facts.run_at,
    )


def say_reclaimed(facts: Facts) -> Cause | None:
    if facts.last_outcome != "lapsed":
        return None
    return Cause(
        reason=Reason.RECLAIMED,
        text=f"its worker died or went silent under it; comes back at {when(facts.run_at)}",
        advice="wait; it then runs alone, in case it was this job that killed the worker",
        until=facts.run_at,
    )


def say_scheduled(facts: Facts) -> Cause:
    return Cause(
        reason=Reason.SCHEDULED,
        text=f"scheduled: it was not to run before {when(facts.run_at)}",
        advice="wait, or cancel it and enqueue it without a delay",
        until=facts.run_at,
    )


ENDED_RULES: tuple[CauseRule, ...] = (
    say_succeeded,
    say_dead,
    say_replaced,
    say_forsaken,
    say_cancelled,
)
LEASE_RULES: tuple[CauseRule, ...] = (say_lapsed, say_stopping, say_running)
SCHEDULED_RULES: tuple[CauseRule, ...] = (
    say_due,
    say_retrying,
    say_keyless,
    say_snoozed,
    say_reclaimed,
    say_scheduled,
)
