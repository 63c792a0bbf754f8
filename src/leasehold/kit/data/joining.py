"""A connection that is lent inside a transaction, `job.transaction()`'s, as SQLAlchemy has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, PoolProxiedConnection

if TYPE_CHECKING:
    from sqlalchemy import Engine

JOINS = "leasehold_joins"  # the transaction is somebody else's: nothing is begun


class _Lent(PoolProxiedConnection):
    """Stands for a driver's connection, and ends neither its transaction nor the connection."""

    is_valid = True
    is_detached = False

    def __init__(self, connection: Any) -> None:
        self.dbapi_connection = connection
        self.driver_connection: Any = connection

    def cursor(self, *args: Any, **options: Any) -> Any:
        return self.driver_connection.cursor(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.driver_connection, name)

    def commit(self) -> None:
        """Leave it to who has begun."""

    def rollback(self) -> None:
        """Leave it to who has begun."""

    def close(self) -> None:
        """Leave it to its owner."""


def join(engine: Engine, connection: Any) -> Connection:
    """Run statements of this engine's dialect on somebody else's connection; never close it."""
    lent = Connection(engine, connection=_Lent(connection))
    return lent.execution_options(**{JOINS: True})
