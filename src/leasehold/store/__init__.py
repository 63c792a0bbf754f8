"""Stores: the databases a queue can live in. Only this module knows which there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.errors import BadOption, StoreRefused

if TYPE_CHECKING:
    from leasehold.store.base import Store

SQLITE, POSTGRESQL = "sqlite", "postgresql"
_SCHEMES = {"sqlite": SQLITE, "postgresql": POSTGRESQL, "postgres": POSTGRESQL}


def open_store(url: str) -> Store:
    """Make the store that the url names. It connects when it is first used, not here."""
    if read_backend(url) == SQLITE:
        from leasehold.store.sqlite.store import SqliteStore

        return SqliteStore(url)
    return _open_postgres(url)


def read_backend(url: str) -> str:
    """Say which database a url means. Errors never repeat the url: it may hold a password."""
    scheme, separator, _rest = url.partition(":")
    backend = _SCHEMES.get(scheme.lower())
    if not separator or backend is None:
        raise BadOption(
            f"a store's url starts with sqlite:/// or postgresql://, not with {scheme[:20]!r}"
            if separator
            else "a store's url starts with sqlite:/// or postgresql://"
        )
    return backend


def _open_postgres(url: str) -> Store:
    try:
        from leasehold.store.postgres.store import PostgresStore
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "psycopg":
            raise
        raise StoreRefused("PostgreSQL needs psycopg: pip install 'leasehold[postgres]'") from error
    return PostgresStore(url)
