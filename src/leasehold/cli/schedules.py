"""`leasehold schedules`: what comes again and when, and how people change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.commands import Listing, with_session
from leasehold.cli.controlling import BY, NAME, answer
from leasehold.cli.values import read_duration, read_moment, read_object, read_pairs

if TYPE_CHECKING:
    from datetime import datetime

    from leasehold.cli.session import Session
    from leasehold.client import Client
    from leasehold.options import JobOptions
    from leasehold.task import Call

_TENANT = click.option("--tenant", default="", help="Whose schedule it is.")
_DST = click.Choice(["auto", "once", "skip", "through"])
_MISSED = click.Choice(["none", "latest", "all"])
_ABOUT_JOB = ("queue", "priority", "tenant")
_EXAMPLE = """\
leasehold schedules
leasehold schedules set nightly "0 3 * * *" shop.tasks.tidy_up --zone Europe/Berlin
leasehold schedules next nightly --count 5
leasehold schedules pause nightly"""
_NOTES = """\
A RULE is cron (minute, hour, day, month, weekday; six fields begin with seconds), @hourly, @daily,
@weekly, @monthly, @yearly, or an interval like "every 90s". A value that is JSON is read as such.
Without --tasks the handler's code is not asked: the worker checks the arguments."""


@click.group(cls=Listing, example=_EXAMPLE)
@click.option("--tenant", default=None, help="Only those of this tenant.")
@with_session
def schedules(session: Session, *, tenant: str | None) -> None:
    """List schedules with their last and next run, or change them.

    No daemon is needed: any worker fires them, and each slot is fired once.
    """
    from leasehold.cli.schedule_tables import print_schedules

    with session.client() as client:
        print_schedules(session, client.schedules.list(tenant=tenant), client.store.now())


@schedules.command("show", example="leasehold schedules show nightly")
@NAME
@_TENANT
@with_session
def show_one(session: Session, *, name: str, tenant: str) -> None:
    """Show all that is known of one."""
    from leasehold.cli.schedule_tables import print_schedule

    with session.client() as client:
        print_schedule(session, client.schedules.get(name, tenant=tenant), client.store.now())


@schedules.command(
    "set",
    example='leasehold schedules set nightly "0 3 * * *" shop.tasks.tidy_up days=7 --missed none',
    notes=_NOTES,
)
@NAME
@click.argument("rule")
@click.argument("kind")
@click.argument("pairs", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--args", "document", help="All arguments as a JSON object; - reads stdin.")
@click.option("--tasks", "module", metavar="MODULE", help="Take the task's options and checks.")
@click.option("--zone", default="UTC", show_default=True, help="Where the rule's clock hangs.")
@click.option(
    "--dst",
    type=_DST,
    default="auto",
    show_default=True,
    help="What the rule does when that clock changes.",
)
@click.option(
    "--missed",
    type=_MISSED,
    default="latest",
    show_default=True,
    help="What becomes of slots that no worker fired in time.",
)
@click.option("--missed-cap", type=int, metavar="N", help="How many of all.  [default: 100]")
@click.option(
    "--jitter", type=read_duration, metavar="TIME", help="Spread its jobs over this time."
)
@click.option("--queue", help="The queue  [default: the task's]")
@click.option("--priority", type=int, help="Higher runs first.")
@click.option("--tenant", help="Whose schedule and jobs they are.")
@BY
@with_session
def set_schedule(
    session: Session,
    /,
    *,
    name: str,
    rule: str,
    kind: str,
    pairs: tuple[str, ...],
    document: str | None,
    module: str | None,
    by: str | None,
    **options: Any,
) -> None:
    """Make a schedule, or change one: enqueue a job of KIND whenever the RULE says.

    What is set here stays when workers start with another rule in their code.
    """
    if pairs and document is not None:
        raise click.UsageError("give either --args or key=value, not both")
    args = read_pairs(pairs) if document is None else read_object(document)
    given = {option: value for option, value in options.items() if value is not None}
    about_job: Any = {key: given.pop(key) for key in _ABOUT_JOB if key in given}
    with session.client(may_create=True) as client:
        if module is None:
            made = client.schedules.set(name, rule, kind, args, options=about_job, by=by, **given)
        else:
            call = _call(module, kind, args, about_job)
            made = client.schedules.set(name, rule, call, by=by, **given)
    _say_next(session, name, made.next_at, made.zone)


def _call(module: str, kind: str, args: dict[str, Any], options: JobOptions) -> Call:
    """Let the handler's code check the arguments."""
    from leasehold.cli.loading import load_registry

    return load_registry([module])[kind].with_options(**options).call(**args)


def _say_next(session: Session, name: str, next_at: datetime | None, zone: str) -> None:
    from leasehold.cli.schedule_tables import wall

    text = "never" if next_at is None else wall(next_at, zone)
    answer(session, f"{name} is set; next: {text}", name=name, next_at=next_at)


@schedules.command("change", example='leasehold schedules change nightly --rule "0 4 * * *"')
@NAME
@_TENANT
@click.option("--rule", help="Cron, @daily, or an interval like 'every 90s'.")
@click.option("--zone", help="Where the rule's clock hangs.")
@click.option("--dst", type=_DST, help="What the rule does when that clock changes.")
@click.option("--missed", type=_MISSED, help="What becomes of slots that nobody fired in time.")
@click.option("--missed-cap", type=int, metavar="N", help="How many of all.")
@click.option(
    "--jitter", type=read_duration, metavar="TIME", help="Spread its jobs over this time."
)
@BY
@with_session
def change(session: Session, /, *, name: str, tenant: str, by: str | None, **options: Any) -> None:
    """Change when it fires; what is not named, and its job, stay as they are."""
    given = {option: value for option, value in options.items() if value is not None}
    with session.client() as client:
        made = client.schedules.change(name, tenant=tenant, by=by, **given)
    _say_next(session, name, made.next_at, made.zone)


@schedules.command("pause", example="leasehold schedules pause nightly")
@NAME
@_TENANT
@BY
@with_session
def pause(session: Session, *, name: str, tenant: str, by: str | None) -> None:
    """Fire it no more until it is resumed."""
    with session.client() as client:
        is_changed = client.schedules.pause(name, tenant=tenant, by=by)
    text = f"{name} is paused" if is_changed else f"{name} was paused already"
    answer(session, text, name=name, is_changed=is_changed)


@schedules.command("resume", example="leasehold schedules resume nightly")
@NAME
@_TENANT
@with_session
def resume(session: Session, *, name: str, tenant: str) -> None:
    """Go on with the next slot; those of the pause are not made up for."""
    with session.client() as client:
        is_changed = client.schedules.resume(name, tenant=tenant)
    text = f"{name} is resumed" if is_changed else f"{name} was not paused"
    answer(session, text, name=name, is_changed=is_changed)


@schedules.command("run", example="leasehold schedules run nightly")
@NAME
@_TENANT
@with_session
def run_now(session: Session, *, name: str, tenant: str) -> None:
    """Enqueue its job now, and print the job's id; its slots stay as they are."""
    with session.client() as client:
        job_id = client.schedules.run_now(name, tenant=tenant)
    answer(session, str(job_id), name=name, job=job_id)


@schedules.command("delete", example="leasehold schedules delete nightly")
@NAME
@_TENANT
@with_session
def delete(session: Session, *, name: str, tenant: str) -> None:
    """Delete it; its jobs stay.

    A worker whose code declares it makes it again at its start: pause such a one instead.
    """
    with session.client() as client:
        client.schedules.get(name, tenant=tenant)
        is_changed = client.schedules.delete(name, tenant=tenant)
    answer(session, f"{name} is deleted", name=name, is_changed=is_changed)


@schedules.command("next", example='leasehold schedules next --rule "30 2 * * *" --zone Asia/Tokyo')
@click.argument("name", required=False)
@_TENANT
@click.option("--rule", help="A rule instead of a schedule's name.")
@click.option("--zone", default="UTC", show_default=True, help="Where the --rule's clock hangs.")
@click.option("--dst", type=_DST, default="auto", show_default=True, help="See `schedules set`.")
@click.option("--count", type=click.IntRange(1, 1000), default=10, show_default=True)
@click.option("--after", type=read_moment, metavar="TIME", help="Begin here.  [default: now]")
@with_session
def show_next(
    session: Session,
    *,
    name: str | None,
    tenant: str,
    rule: str | None,
    zone: str,
    dst: str,
    count: int,
    after: datetime | None,
) -> None:
    """List the next slots of a schedule, or of a rule that is only an idea yet."""
    from leasehold.cli.schedule_tables import print_slots, slots_of_rule

    if (name is None) is (rule is None):
        raise click.UsageError("give either a schedule's NAME or --rule")
    if rule is not None:
        print_slots(session, slots_of_rule(rule, zone, dst, after, count), zone)
        return
    with session.client() as client:
        found, where = _preview(client, str(name), tenant, count, after)
    print_slots(session, found, where)


def _preview(
    client: Client, name: str, tenant: str, count: int, after: datetime | None
) -> tuple[list[datetime], str]:
    slots = client.schedules.preview(name, count, tenant=tenant, after=after)
    return list(slots), client.schedules.get(name, tenant=tenant).zone
