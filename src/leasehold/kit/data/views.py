"""Views over the queue's own, so that the state of jobs is shown under names of the application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

_VIEWS = {
    "sqlite": {
        "jobs": "leasehold_jobs",
        "states": "leasehold_states",
        "batches": "leasehold_batches",
    },
    "postgresql": {
        "jobs": "leasehold.jobs",
        "states": "leasehold.states",
        "batches": "leasehold.batches",
    },
}


def queue_views(connection: Connection) -> dict[str, str]:
    """Say what the queue's public views `jobs`, `states` and `batches` are called here."""
    return _VIEWS[connection.dialect.name]


def make_views(connection: Connection, *statements: str) -> None:
    """Make views; `{jobs}`, `{states}` and `{batches}` in a statement stand for the queue's."""
    for statement in statements:
        connection.execute(text(statement.format_map(queue_views(connection))))
