"""The place that `leasehold bench` works in: made for it and removed whatever happens."""

from __future__ import annotations

import secrets
import signal
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leasehold.errors import StoreRefused, StoreUnavailable
from leasehold.model.values import Filter
from leasehold.store import SQLITE, open_store, read_backend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import psycopg

_ENDINGS = (signal.SIGINT, signal.SIGTERM)
_CONNECT_SECONDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """A place of the bench's own; `title` is what one killed by force would leave behind."""

    url: str
    title: str


@contextmanager
def make_scratch(url: str) -> Iterator[Scratch]:
    """Lend a database beside the url's own, on the same server or in the same folder."""
    open_store(url).close()  # complains of a url that can't be used and of a missing driver
    make = _make_file if read_backend(url) == SQLITE else _make_database
    name = f"leasehold_bench_{secrets.token_hex(6)}"
    with _answering_endings(signal.default_int_handler), make(url, name) as scratch:
        yield scratch


def check_given(url: str) -> None:
    """Raise `StoreRefused` when the database holds jobs: they are somebody's."""
    with closing(open_store(url)) as store:
        if store.schema().version > 0:
            store.check_schema()
            if store.find(Filter(), before=None, limit=1):
                raise StoreRefused(
                    "this database already holds jobs: --scratch takes only one without; "
                    "create an empty one and name it with --url, or leave --scratch out"
                )


def sqlite_path(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///")).resolve()


@contextmanager
def _make_file(url: str, name: str) -> Iterator[Scratch]:
    path = sqlite_path(url).with_name(f"{name}.db")
    try:
        yield Scratch(url=f"sqlite:///{path}", title=f"the file {path}")
    finally:
        with holding_back_endings():
            for each in path.parent.glob(f"{path.name}*"):  # beside it: -wal, -shm, -lock
                each.unlink(missing_ok=True)


@contextmanager
def _make_database(url: str, name: str) -> Iterator[Scratch]:
    with ExitStack() as cleanup:
        with _connect(url) as connection, holding_back_endings():
            _create(connection, name)
            cleanup.callback(_drop, url, name)
        # The last of several names stands. The url itself is not taken apart: libpq reads some
        # that other parsers do not.
        scratch_url = f"{url}{'&' if '?' in url else '?'}dbname={name}"
        yield Scratch(url=scratch_url, title=f"the database {name}")


def _create(connection: psycopg.Connection[Any], name: str) -> None:
    from psycopg import Error, errors, sql

    # From template0, to which nobody is connected: a template in use can't be copied.
    statement = sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name))
    try:
        connection.execute(statement)
    except errors.InsufficientPrivilege as error:
        role = connection.info.user
        raise StoreRefused(
            f"the role {role} may not create a scratch database: run ALTER ROLE {role} CREATEDB, "
            "or create an empty database, name it with --url and add --scratch"
        ) from error
    except Error as error:
        raise StoreRefused(f"can't create a scratch database: {error}") from error


def _drop(url: str, name: str) -> None:
    from psycopg import Error, sql

    statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    try:
        with holding_back_endings(), _connect(url) as connection:
            connection.execute(statement)
    except (Error, StoreUnavailable) as error:
        raise StoreUnavailable(f"drop the database {name} by hand, it is left: {error}") from error


@contextmanager
def _connect(url: str) -> Iterator[psycopg.Connection[Any]]:
    import psycopg

    try:
        connection = psycopg.connect(url, autocommit=True, connect_timeout=_CONNECT_SECONDS)
    except psycopg.Error as error:
        raise StoreUnavailable(f"PostgreSQL can't be reached: {error}") from error
    with closing(connection):
        yield connection


@contextmanager
def _answering_endings(handler: Callable[[int, Any], None]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in _ENDINGS}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


@contextmanager
def holding_back_endings() -> Iterator[None]:
    """Answer a signal only afterwards: what is half made or half removed would stay behind."""
    held: list[int] = []
    with _answering_endings(lambda number, _frame: held.append(number)):
        yield
    if held:
        raise KeyboardInterrupt
