"""`migrate` of an application's program: make the tables, or bring them up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import Command, answer, with_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.cli.kit import Session
    from leasehold.kit.data import Migrations


def migrate_command(program: str, migrations: Callable[[], Migrations]) -> click.Command:
    """Make the command `migrate` of this program."""

    @click.command("migrate", cls=Command, example=f"{program} migrate")
    @with_session
    def migrate(session: Session) -> None:
        """Make the tables of the queue and of the application, or bring them up to date.

        Safe beside workers, and when several do it at once.
        """
        with session.client(may_create=True) as client:
            queue = list(client.store.migrate())
            steps = migrations().migrate(client)
        is_new = bool(queue or steps)
        told = "the tables are up to date now" if is_new else "the tables are up to date"
        answer(session, told, queue=queue, application=steps)

    return migrate
