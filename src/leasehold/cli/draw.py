"""`leasehold batches draw`: how the members of a batch wait for each other, and how they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Command, with_session
from leasehold.model.drawing import FOLD_ABOVE

if TYPE_CHECKING:
    from leasehold.cli.session import Session

_EXAMPLE = """\
leasehold batches draw 0192f0c1-2a3b-7c4d-8e5f-60718293a4b5 > flow.mmd
leasehold batches draw 0192f0c1-2a3b-7c4d-8e5f-60718293a4b5 --fold-above 50"""


@click.command("draw", cls=Command, example=_EXAMPLE)
@click.argument("batch_id", metavar="ID")
@click.option(
    "--fold-above",
    type=click.IntRange(1),
    default=FOLD_ABOVE,
    show_default=True,
    help="More than so many of one kind, after the same ones, are drawn as one box.",
)
@with_session
def draw(session: Session, *, batch_id: str, fold_above: int) -> None:
    """Draw a batch as a Mermaid flowchart: who waits for whom, coloured by state."""
    from leasehold.cli.output import print_json

    with session.client() as client:
        drawn = client.draw(batch_id, fold_above=fold_above)
    if session.is_json:
        print_json({"mermaid": drawn})
    else:
        click.echo(drawn, nl=False)
