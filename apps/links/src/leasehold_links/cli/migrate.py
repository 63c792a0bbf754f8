"""`leasehold-links migrate`: make the tables, or bring them up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import Command, answer, with_session

if TYPE_CHECKING:
    from leasehold.cli.kit import Session


@click.command(cls=Command, example="leasehold-links migrate")
@with_session
def migrate(session: Session) -> None:
    """Make the tables of the queue and of the library, or bring them up to date.

    Safe beside workers, and when several do it at once.
    """
    from leasehold_links.data.migrating import MIGRATIONS

    with session.client(may_create=True) as client:
        queue = client.store.migrate()
        steps = MIGRATIONS.migrate(client)
    told = "the tables are up to date" if not (queue or steps) else "the tables are up to date now"
    answer(session, told, queue=list(queue), library=steps)
