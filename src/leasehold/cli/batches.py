"""`leasehold batches`: how far jobs that belong together are, and how people change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.commands import Group, with_session
from leasehold.cli.controlling import BY
from leasehold.model.batches import BatchStatus

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.cli.session import Session
    from leasehold.client import Client
    from leasehold.model.batches import BatchInfo

_ID = click.argument("batch_id", metavar="ID")
_SOME_ID = "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5"
_EXAMPLE = f"""\
leasehold batches list --status sealed
leasehold batches show {_SOME_ID}
leasehold batches cancel {_SOME_ID}
leasehold batches retry {_SOME_ID}"""


@click.group(cls=Group, example=_EXAMPLE)
def batches() -> None:
    """List, show, draw, seal, cancel and retry batches.

    Their members are listed by `leasehold jobs list --batch ID`.
    """


@batches.command("list", example="leasehold batches list --name sync --limit 20")
@click.option("--status", type=click.Choice([status.value for status in BatchStatus]))
@click.option("--name")
@click.option("--tenant")
@click.option("--parent", metavar="ID", help="Only those nested in this one.")
@click.option("--limit", type=click.IntRange(1, 1_000), default=20, show_default=True)
@click.option("--before", metavar="ID", help="Go on below this id: the last one of a page.")
@with_session
def list_batches(session: Session, /, *, limit: int, **filters: Any) -> None:
    """List batches, newest first, a page at a time, with the counts of their members."""
    from leasehold.cli.batch_tables import print_batches
    from leasehold.cli.output import plain, print_json

    with session.client() as client:
        found = client.batches.list(limit=limit, **filters)
    following = str(found[-1].id) if len(found) == limit else None
    if session.is_json:
        print_json({"batches": [plain(each) for each in found], "next": following})
    else:
        print_batches(found, following)


@batches.command("show", example=f"leasehold batches show {_SOME_ID}")
@_ID
@with_session
def show_batch(session: Session, *, batch_id: str) -> None:
    """Show one batch: how far it is, how its members stand, and what was said of it."""
    with session.client() as client:
        _print(session, client.batches.get(batch_id))


@batches.command("seal", example=f"leasehold batches seal {_SOME_ID}")
@_ID
@with_session
def seal(session: Session, *, batch_id: str) -> None:
    """Let only its running members add to it: it ends with the last of them."""
    _change(session, lambda client: client.batches.seal(batch_id))


@batches.command("cancel", example=f"leasehold batches cancel --by ada {_SOME_ID}")
@_ID
@BY
@with_session
def cancel(session: Session, *, batch_id: str, by: str | None) -> None:
    """Cancel all members that have not ended, of nested batches too.

    Running ones are told to stop. A batch that has ended stays as it is.
    """
    _change(session, lambda client: client.batches.cancel(batch_id, by=by))


@batches.command("retry", example=f"leasehold batches retry {_SOME_ID}")
@_ID
@with_session
def retry(session: Session, *, batch_id: str) -> None:
    """Run its dead and cancelled members anew; one that has ended begins another round."""
    _change(session, lambda client: client.batches.retry_failed(batch_id))


def _change(session: Session, change: Callable[[Client], BatchInfo]) -> None:
    with session.client() as client:
        _print(session, change(client))


def _print(session: Session, found: BatchInfo) -> None:
    from leasehold.cli.batch_tables import print_batch
    from leasehold.cli.output import plain, print_json

    if session.is_json:
        print_json({"batch": plain(found) | {"progress": found.progress}})
    else:
        print_batch(found)
