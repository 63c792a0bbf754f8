"""`leasehold enqueue`: put one job into the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

from leasehold.cli.commands import Command, with_session
from leasehold.cli.values import read_duration, read_moment, read_object, read_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.cli.session import Session
    from leasehold.client import Client
    from leasehold.options import JobOptions
    from leasehold.task import Enqueued

_EXAMPLE = """\
leasehold enqueue shop.tasks.send_invoice invoice_id=7 --queue mail
leasehold enqueue greet --args '{"name": "Ada"}' --delay 5m
leasehold enqueue shop.tasks.send_invoice invoice_id=7 --tasks shop.tasks
leasehold enqueue links.enrich link_id=7 --key link:7 --unique-for ever"""
_NOTES = """\
A value that is JSON is read as such: 7 is a number, true a boolean, '"7"' the text 7. Without
--tasks the handler's code is not asked: the worker checks the arguments, and options that are not
given are the library's defaults, so name the queue."""


@click.command(cls=Command, example=_EXAMPLE, notes=_NOTES)
@click.argument("kind")
@click.argument("pairs", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--args", "document", help="All arguments as a JSON object; - reads stdin.")
@click.option("--tasks", "module", metavar="MODULE", help="Take the task's options and checks.")
@click.option("--queue", help="The queue  [default: default, or the task's]")
@click.option("--priority", type=int, help="Higher runs first.")
@click.option("--delay", type=read_duration, metavar="TIME", help="Not before this time from now.")
@click.option(
    "--at", "run_at", type=read_moment, metavar="TIME", help="Not before, like 2030-01-31T08:00Z."
)
@click.option("--max-attempts", type=int, help="Dead after so many failures.")
@click.option("--timeout", type=read_duration, metavar="TIME", help="Longest run of one attempt.")
@click.option("--id", help="A UUID; the same id, kind and arguments again is the same job.")
@click.option("--tenant", help="Whose job it is.")
@click.option("--encrypted", is_flag=True, default=None, help="Encrypt its arguments.")
@click.option("--throttle", metavar="KEY", help="What limits it, like domain:a.com.")
@click.option("--share", help="Whose turn it counts as, like user:7.")
@click.option("--cost", type=float, help="What it will spend of its throttle's rate.")
@click.option("--after", multiple=True, metavar="ID", help="Wait until this job has succeeded.")
@click.option("--after-any", is_flag=True, default=None, help="… one of them is enough.")
@click.option("--even-if-failed", is_flag=True, default=None, help="… any end of theirs is.")
@click.option("--key", help="Not twice while a job of this key is alive.")
@click.option(
    "--on-duplicate",
    type=click.Choice(["skip", "replace", "debounce", "latest"]),
    help="What a second job of the key does  [default: skip]",
)
@click.option("--unique-for", metavar="live|ever|TIME", help="How long the key is remembered.")
@click.option("--cooldown", type=read_duration, metavar="TIME", help="… after its last success.")
@click.option(
    "--max-wait", type=read_duration, metavar="TIME", help="No later than this after the first."
)
@with_session
def enqueue(
    session: Session,
    /,
    *,
    kind: str,
    pairs: tuple[str, ...],
    document: str | None,
    module: str | None,
    **options: Any,
) -> None:
    """Enqueue one job of a KIND and print its id."""
    if pairs and document is not None:
        raise click.UsageError("give either --args or key=value, not both")
    args = read_pairs(pairs) if document is None else read_object(document)
    given = cast("JobOptions", {key: value for key, value in options.items() if value is not None})
    with session.client(may_create=True) as client:
        done = _enqueue(client, kind, module, args, given)
    _print(session, done)


def _enqueue(
    client: Client, kind: str, module: str | None, args: dict[str, Any], options: JobOptions
) -> Enqueued[Any]:
    if module is None:
        return client.enqueue_by_name(kind, args, **options)
    from leasehold.cli.loading import load_registry

    return client.enqueue(load_registry([module])[kind].with_options(**options), **args)


def _print(session: Session, done: Enqueued[Any]) -> None:
    if session.is_json:
        from dataclasses import fields

        from leasehold.cli.output import print_json

        told = [field.name for field in fields(done) if field.name != "task"]
        print_json({name: getattr(done, name) for name in told})
        return
    click.echo(done.id)
    for line in _remarks(done):
        click.echo(line, err=True)


def _remarks(done: Enqueued[Any]) -> Iterator[str]:
    if done.held is not None:
        yield f"held: job {done.id} has this key and {_why(done)}; nothing was enqueued."
    elif not done.is_new:
        yield "It was there already: nothing was enqueued."
    if done.replaced is not None:
        yield f"It replaces job {done.replaced}."
    if done.behind is not None:
        yield f"It waits until job {done.behind}, which has its key, runs no more."


def _why(done: Enqueued[Any]) -> str:
    until = "" if done.held_until is None else f"{done.held_until:%Y-%m-%d %H:%M:%S} UTC"
    match done.held:
        case "ever":
            return "is remembered for ever"
        case "period" | "cooldown":
            return f"is remembered until {until}"
        case "pushed":
            return f"was put off until {until}"
        case _:
            return "is live"
