"""`leasehold throttles`: what may run at once and how fast, and how people change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.commands import Listing, with_session
from leasehold.cli.controlling import (
    BY,
    NAME,
    REASON,
    UNTIL,
    answer,
    describe_pause,
    number,
    pause_cell,
)
from leasehold.cli.values import OFF, Rate, read_count_or_off, read_rate

if TYPE_CHECKING:
    from datetime import datetime

    from leasehold.cli.session import Session
    from leasehold.client import Client
    from leasehold.model.lanes import ThrottleInfo

_UNITS = (("s", 1.0), ("m", 60.0), ("h", 3_600.0), ("d", 86_400.0))
_EXAMPLE = """\
leasehold throttles
leasehold throttles set domain --running 4
leasehold throttles pause domain:a.com --until 10m --reason 429
leasehold throttles set @domain --tenant acme --running 10"""


_TENANT = click.option("--tenant", metavar="NAME", help="Whose own; of throttles like @domain.")


@click.group(cls=Listing, example=_EXAMPLE)
@click.option("--tenant", metavar="NAME", help="List what this tenant has for itself.")
@with_session
def throttles(session: Session, *, tenant: str | None) -> None:
    """List throttles, or change what they allow.

    A NAME is a rule, as domain, or one key of it, as domain:a.com. One that each tenant has for
    itself begins with @; --tenant says whose is meant. Changes count from the next claim on, in
    all workers; running jobs go on.
    """
    with session.client() as client:
        found = client.throttles.list(tenant=tenant)
    _print(session, found)


@throttles.command("set", example="leasehold throttles set openai --rate 90000/1m --burst 9000")
@NAME
@click.option(
    "--running", type=read_count_or_off, metavar="N|off", help="At once, in all processes."
)
@click.option(
    "--per-worker", type=read_count_or_off, metavar="N|off", help="At once, in one process."
)
@click.option("--rate", type=read_rate, metavar="N/TIME|off", help="In a time, like 90000/1m.")
@click.option(
    "--burst", type=float, metavar="N", help="At once after a rest.  [default: as the rate]"
)
@_TENANT
@BY
@with_session
def set_limits(
    session: Session,
    *,
    name: str,
    running: int | str | None,
    per_worker: int | str | None,
    rate: Rate | None,
    burst: float | None,
    tenant: str | None,
    by: str | None,
) -> None:
    """Change limits; `off` takes one away.

    Those that are not named stay. What is set here stays when workers start with other limits in
    their code, until it is reset.
    """
    counts = {"running": running, "per_worker": per_worker}
    said: dict[str, Any] = {
        limit: None if value == OFF else value
        for limit, value in counts.items()
        if value is not None
    }
    if rate is not None:
        said |= {"rate": rate.amount, "per": rate.seconds}
    with session.client() as client:
        client.throttles.set(name, **said, burst=burst, tenant=tenant, by=by)
    answer(session, f"{name} is changed", name=name)


@throttles.command("reset", example="leasehold throttles reset domain:a.com")
@NAME
@_TENANT
@with_session
def reset(session: Session, *, name: str, tenant: str | None) -> None:
    """Undo what people have set.

    A key has its rule's limits again at once, a rule those of the next worker that starts.
    """
    with session.client() as client:
        is_changed = client.throttles.reset(name, tenant=tenant)
    text = f"{name} is reset" if is_changed else f"{name} had nothing set"
    answer(session, text, name=name, is_changed=is_changed)


@throttles.command(
    "pause", example="leasehold throttles pause domain:a.com --until 10m --reason 429"
)
@NAME
@UNTIL
@REASON
@_TENANT
@BY
@with_session
def pause(
    session: Session,
    *,
    name: str,
    until: datetime | float | None,
    reason: str,
    tenant: str | None,
    by: str | None,
) -> None:
    """Start none of its jobs until then; running ones go on. May shorten a pause, too."""
    with session.client() as client:
        client.throttles.pause(name, until=until, reason=reason, tenant=tenant, by=by)
        _warn_of_unknown(client, name)
    answer(session, f"{name} is paused {describe_pause(until)}", name=name, is_changed=True)


@throttles.command("resume", example="leasehold throttles resume domain:a.com")
@NAME
@_TENANT
@with_session
def resume(session: Session, *, name: str, tenant: str | None) -> None:
    """End a pause."""
    with session.client() as client:
        is_changed = client.throttles.resume(name, tenant=tenant)
    text = f"{name} is resumed" if is_changed else f"{name} was not paused"
    answer(session, text, name=name, is_changed=is_changed)


@throttles.command("refill", example="leasehold throttles refill openai")
@NAME
@_TENANT
@with_session
def refill(session: Session, *, name: str, tenant: str | None) -> None:
    """Forget what a key has used up of its rate.

    As after the database's clock was set back: until it catches up, nothing would start.
    """
    with session.client() as client:
        is_changed = client.throttles.refill(name, tenant=tenant)
    text = f"{name} is refilled" if is_changed else f"{name} had nothing used up"
    answer(session, text, name=name, is_changed=is_changed)


def rate_text(rate: float) -> str:
    """Write a rate per second in the smallest unit that makes it 1 or more."""
    unit, size = next((each for each in _UNITS if rate * each[1] >= 1), _UNITS[-1])
    return f"{number(rate * size)}/{unit}"


def _print(session: Session, found: list[ThrottleInfo]) -> None:
    from leasehold.cli.output import cell, make_table, plain, print_json, print_rows

    if session.is_json:
        print_json({"throttles": [plain(each) for each in found]})
        return
    own = ["tenant"] if any(each.tenant is not None for each in found) else []
    shown = ("running", "per worker", "rate", "left", "waiting", "set by", "")
    table = make_table("throttle", *own, *shown)
    for each in found:
        table.add_row(
            cell(each.name),
            *(cell(each.tenant or ("" if each.tenant is None else "none")) for _ in own),
            cell(f"{each.running:,}{_limit_text(each)}"),
            cell(each.per_worker),
            cell("" if each.rate is None else rate_text(each.rate)),
            cell("" if each.burst is None else f"{number(each.tokens)} of {number(each.burst)}"),
            cell(f"{each.waiting:,}"),
            cell(each.set_by),
            cell(pause_cell(each.paused_until, each.pause_reason, each.paused_by)),
        )
    print_rows(table, empty="No throttles: no worker has declared one yet.", rows=found)


def _limit_text(info: ThrottleInfo) -> str:
    """Say how many may run; what the tenant itself wants counts where that is less."""
    limits = [each for each in (info.running_limit, info.tenant_limit) if each is not None]
    by_tenant = "" if info.tenant_limit is None else f" ({info.tenant_limit:,} by its tenant)"
    return f" of {min(limits):,}{by_tenant}" if limits else ""


def _warn_of_unknown(client: Client, name: str) -> None:
    rule = name.partition(":")[0]
    if not any(each.name == rule and _is_limiting(each) for each in client.throttles.list()):
        click.echo(
            f"Note: no worker has declared a throttle {rule!r} yet; is it spelt right?", err=True
        )


def _is_limiting(info: ThrottleInfo) -> bool:
    return (info.running_limit, info.per_worker, info.rate) != (None, None, None)
