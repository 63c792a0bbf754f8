"""Throttles and shares: limits, what they hold up, pause."""

from __future__ import annotations

from typing import Any

from leasehold.errors import BadOption
from leasehold.web.dashboard.looks import WHO, Done, Look, Page
from leasehold.web.dashboard.pausing import read_until
from leasehold.web.dashboard.sections import Section

section = Section()


@section.page("/throttles", for_tenants=True)
def show(look: Look) -> Page:
    """List rules, keys with limits of their own, and shares."""
    shares = look.client.shares.list() if look.tenant is None else []
    values = {"throttles": look.client.throttles.list(), "shares": shares}
    return Page(template="throttles.html", title="Throttles", values=values)


@section.action("/throttles/pause", for_tenants=True)
def pause(look: Look) -> Done:
    """Start none of its jobs."""
    name = look.said("name")
    until = read_until(look.said("until"))
    look.client.throttles.pause(
        name, until=until, reason=look.said("reason"), tenant=_whose(look), by=WHO
    )
    return Done(text=f"Throttle {name} is paused" + (f" for {until}." if until else "."))


@section.action("/throttles/resume", for_tenants=True)
def resume(look: Look) -> Done:
    """End a pause."""
    name = look.said("name")
    is_changed = look.client.throttles.resume(name, tenant=_whose(look))
    if not is_changed and look.tenant is not None:
        raise BadOption(f"throttle {name!r}: the operators have paused it")
    return Done(text=f"Throttle {name} goes on.")


@section.action("/throttles/set", for_tenants=True)
def change(look: Look) -> Done:
    """Change its limits; an empty field takes that limit away."""
    name = look.said("name")
    limits: dict[str, Any] = {"running": _number(look, "running", int)}
    if look.tenant is None:  # a tenant says only how many of its own run at once
        limits |= {
            "per_worker": _number(look, "per_worker", int),
            "rate": _number(look, "rate", float),
            "burst": _number(look, "burst", float),
        }
    per = look.said("per") or "1s"
    look.client.throttles.set(name, per=per, tenant=_whose(look), by=WHO, **limits)
    return Done(text=f"Throttle {name} has its new limits.")


@section.action("/throttles/reset", for_tenants=True)
def reset(look: Look) -> Done:
    """Let code say its limits again."""
    name = look.said("name")
    look.client.throttles.reset(name, tenant=_whose(look))
    return Done(text=f"Throttle {name} has the limits of its code again.")


@section.action("/throttles/refill")
def refill(look: Look) -> Done:
    """Forget what was used up of its rate."""
    name = look.said("name")
    look.client.throttles.refill(name, tenant=_whose(look))
    return Done(text=f"What {name} has used of its rate is forgotten.")


def _whose(look: Look) -> str | None:
    """Say whose own throttle a form is about, if it is a tenant's."""
    return look.said("tenant") if look.said("is_own") else None


def _number(look: Look, name: str, kind: type[float]) -> float | None:
    text = look.said(name)
    if not text:
        return None
    try:
        return kind(text)
    except ValueError:
        raise BadOption(f"{name}: {text!r} is not a number") from None
