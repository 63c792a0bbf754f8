"""The seed's own defaults, on PostgreSQL: its inserts name neither ids nor times."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection

_DEFAULTS = {
    "document_chunks": {"id": "gen_random_uuid()", "created_at": "now()"},
    "extractions": {"id": "gen_random_uuid()", "created_at": "now()", "updated_at": "now()"},
}


def set_defaults(connection: Connection) -> None:
    """Let the database fill in what the seed's SQL leaves out."""
    if connection.dialect.name != "postgresql":
        return
    for table, columns in _DEFAULTS.items():
        said = ", ".join(f"ALTER {name} SET DEFAULT {value}" for name, value in columns.items())
        connection.exec_driver_sql(f"ALTER TABLE {table} {said}")
