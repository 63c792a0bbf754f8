"""Tables that applications have beside the queue's: migrated by them, asked for by us."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leasehold.client import Client
from leasehold.errors import SchemaMismatch
from leasehold.web.applications import note_broken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from leasehold.web.applications import Application, Found


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """What came of an application's tables."""

    name: str
    applied: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    error: str | None = None


def migrate_tables(application: Application, client: Client) -> tuple[str, ...]:
    """Bring its tables up to date; names the steps that were taken."""
    return () if application.migrate is None else tuple(application.migrate(client))


def pending_steps(application: Application, client: Client) -> tuple[str, ...]:
    return () if application.pending is None else tuple(application.pending(client))


def check_tables(application: Application, client: Client) -> None:
    """Refuse to serve an application whose tables are not up to date."""
    missing = pending_steps(application, client)
    if missing:
        raise SchemaMismatch(
            f"the tables of {application.name} lack {', '.join(missing)}: "
            "run `leasehold migrate`, or serve with --migrate"
        )


def migrate_applications(
    found: Iterable[Found], client: Client, *, is_looking: bool
) -> list[Migrated]:
    """Migrate each of those that have tables; what one of them does wrong is its own matter."""
    return [
        _migrate(each, client, is_looking=is_looking)
        for each in found
        if each.application is None or each.application.migrate is not None
    ]


def _migrate(found: Found, main: Client, *, is_looking: bool) -> Migrated:
    application = found.application
    if application is None:
        return Migrated(name=found.name, error=found.error)
    try:
        with _store_of(application, main) as client:
            if not is_looking and client is not main:
                client.store.migrate()
            applied = () if is_looking else migrate_tables(application, client)
            pending = pending_steps(application, client)
    except Exception as error:  # noqa: BLE001 - an application's own code
        return Migrated(name=found.name, error=note_broken(found.name, error))
    return Migrated(name=found.name, applied=applied, pending=pending)


@contextmanager
def _store_of(application: Application, main: Client) -> Iterator[Client]:
    if application.store_url is None:
        yield main
        return
    with Client(application.store_url) as client:
        yield client
