"""`leasehold top`: how it stands, drawn anew each second; one plain list where nobody watches."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Command, with_session
from leasehold.cli.values import read_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import RenderableType

    from leasehold.cli.session import Session
    from leasehold.client import Client
    from leasehold.model.values import Job, WorkerInfo

_WINDOW_SECONDS = 300.0
_SHOWN_JOBS, _SHOWN_WORKERS, _SHOWN_KINDS = 15, 10, 8
_LOOK_SECONDS = 0.1
_QUITS = "qQ"


@click.command(cls=Command, example="leasehold top\nleasehold top --every 5s")
@click.option(
    "--every",
    type=read_duration,
    metavar="TIME",
    default="1s",
    show_default=True,
    help="How often to look.",
)
@with_session
def top(session: Session, *, every: float) -> None:
    """Show live how the queues stand, what runs and who is there; q quits.

    Without a terminal it prints all that once.
    """
    with session.client() as client:
        client.store.check_schema()
        if session.is_json:
            from leasehold.cli.output import print_json

            print_json(_document(client))
        elif sys.stdout.isatty():
            _watch(client, max(0.2, every))
        else:
            from leasehold.cli.output import show

            show(*_parts(client))


def _document(client: Client) -> dict[str, object]:
    from leasehold.cli.output import plain

    found = client.stats.overview(_WINDOW_SECONDS)
    return {
        "overview": plain(found),
        "running": [plain(job) for job in _running(client)],
        "workers": [{**plain(each), "id": str(each.id)} for each in _workers(client)],
    }


def _watch(client: Client, every: float) -> None:
    from rich.console import Console, Group
    from rich.live import Live

    console = Console(highlight=False, markup=False, emoji=False)
    options = {"console": console, "auto_refresh": False, "screen": True}
    # Ctrl-C is how many leave such a screen: no error.
    with suppress(KeyboardInterrupt), _keys() as pressed, Live(**options) as live:  # type: ignore[arg-type]
        while True:
            live.update(Group(*_safely(client)), refresh=True)
            if _is_over(pressed, time.monotonic() + every):
                return


def _is_over(pressed: Callable[[float], str], until: float) -> bool:
    """Wait until then, or until somebody wants to quit."""
    while (left := until - time.monotonic()) > 0:
        if pressed(min(left, _LOOK_SECONDS)) in _QUITS:
            return True
    return False


def _safely(client: Client) -> list[RenderableType]:
    """Draw; a database that is away for a while is shown as such and does not end it."""
    from leasehold.cli.output import cell
    from leasehold.errors import StoreError

    try:
        return _parts(client)
    except StoreError as error:
        return [cell(f"the database does not answer: {error}", "bold red", wraps=True)]


def _parts(client: Client) -> list[RenderableType]:
    from leasehold.cli.output import cell
    from leasehold.cli.stat_tables import kinds_table, queues_table, summary

    found = client.stats.overview(_WINDOW_SECONDS)
    parts: list[RenderableType] = [summary(found), cell(""), queues_table(found)]
    if found.by_kind:
        parts += [cell(""), kinds_table(found, _SHOWN_KINDS)]
    if jobs := _running(client):
        parts += [cell(""), _jobs_table(jobs, client)]
    if workers := _workers(client):
        parts += [cell(""), _workers_table(workers, client)]
    return parts


def _running(client: Client) -> list[Job]:
    return client.find(state="running", limit=_SHOWN_JOBS)


def _workers(client: Client) -> list[WorkerInfo]:
    return client.workers()[:_SHOWN_WORKERS]


def _jobs_table(jobs: list[Job], client: Client) -> RenderableType:
    from leasehold.cli.output import cell, make_table
    from leasehold.model.wording import since

    now = client.store.moment()
    table = make_table("running", "kind", "queue", "attempt", "worker", "claimed")
    for job in jobs:
        table.add_row(
            cell(job.id, "dim"),
            cell(job.kind),
            cell(job.queue),
            cell(job.attempt),
            cell(job.worker_name or job.worker),
            cell(since(job.claimed_at, now)),
        )
    return table


def _workers_table(workers: list[WorkerInfo], client: Client) -> RenderableType:
    from leasehold.cli.output import cell, make_table
    from leasehold.model.wording import since

    now = client.store.moment()
    table = make_table("worker", "running", "slots", "queues", "seen")
    for each in workers:
        table.add_row(
            cell(each.name),
            cell(each.running),
            cell(each.slots),
            cell(", ".join(each.queues)),
            cell(since(each.seen_at, now)),
        )
    return table


@contextmanager
def _keys() -> Iterator[Callable[[float], str]]:
    """Yield what waits so many seconds for a key, and says which; a space when there was none.

    The terminal is as it was afterwards, whatever happens.
    """
    if not sys.stdin.isatty():
        yield _no_key
        return
    try:
        import termios
        import tty
    except ImportError:  # Windows: Ctrl-C ends it
        yield _no_key
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield _key
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _key(seconds: float) -> str:
    import os
    import select

    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    if not ready:
        return " "
    pressed = os.read(sys.stdin.fileno(), 1).decode(errors="replace")
    return pressed or "q"  # the terminal is gone


def _no_key(seconds: float) -> str:
    time.sleep(seconds)
    return " "
