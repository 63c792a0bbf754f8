"""What is known before links are fetched; asked for many at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import select

from leasehold_links.data.tables import canonical, domain, robots

if TYPE_CHECKING:
    from sqlalchemy import Connection

REMEMBERED = timedelta(hours=24)  # robots.txt, and answers that count against a domain


class Wanted(NamedTuple):
    """A link, and the domain whose turn it has."""

    canonical_id: UUID
    domain: str


class Known(NamedTuple):
    """A link to fetch."""

    id: UUID
    url: str
    is_blocked: bool


class KnownRobots(NamedTuple):
    """The rules of a site, and until when they count."""

    rules: str
    until: datetime


def load(connection: Connection, wanted: Sequence[Wanted], _now: datetime) -> list[Known | None]:
    """Read what is to be fetched, and may be; None when nobody has the link any more."""
    columns = canonical.c
    ids = [each.canonical_id for each in wanted]
    found = connection.execute(select(columns.id, columns.url).where(columns.id.in_(ids)))
    urls = {id_: url for id_, url in found}  # noqa: C416 - rows are no pairs to mypy
    blocked = _blocked_of(connection, {each.domain for each in wanted})
    return [
        Known(id_, urls[id_], of_domain in blocked) if id_ in urls else None
        for id_, of_domain in wanted
    ]


def _blocked_of(connection: Connection, names: Iterable[str]) -> set[str]:
    is_named = domain.c.domain.in_(list(names))
    return set(
        connection.scalars(select(domain.c.domain).where(is_named, domain.c.state == "blocked"))
    )


def load_robots(
    connection: Connection, origins: Sequence[str], _now: datetime
) -> list[KnownRobots | None]:
    """Read the rules of sites as they were when we last asked."""
    columns = robots.c
    found = connection.execute(
        select(columns.origin, columns.rules, columns.fetched_at).where(columns.origin.in_(origins))
    )
    known = {origin: KnownRobots(rules, at + REMEMBERED) for origin, rules, at in found}
    return [known.get(origin) for origin in origins]
