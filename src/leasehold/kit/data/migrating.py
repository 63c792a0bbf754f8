"""Makes an application's tables and views; what was done is written down and never done twice."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, TypeAlias

from sqlalchemy import (
    Column,
    Connection,
    Integer,
    MetaData,
    Table,
    func,
    insert,
    inspect,
    select,
    text,
)

from leasehold.kit.data.database import Database

if TYPE_CHECKING:
    from leasehold.client import Client

_RIGHTS = "SELECT, INSERT, UPDATE, DELETE"
# Who may end leases does the queue's work: see `leasehold migrate --roles`.
_LACKING = text("""
SELECT role.rolname, relation.oid::regclass::text
FROM pg_class AS relation
CROSS JOIN pg_roles AS role
WHERE relation.oid IN (SELECT to_regclass(name) FROM unnest(CAST(:names AS text[])) AS name)
  AND role.oid IN (
    SELECT acl.grantee
    FROM pg_class AS lease, aclexplode(lease.relacl) AS acl
    WHERE lease.oid = 'leasehold.lease'::regclass AND acl.privilege_type = 'DELETE')
  AND NOT has_table_privilege(role.oid, relation.oid, 'DELETE')
  AND pg_has_role(relation.relowner, 'USAGE')
""")
_IS_OURS = text(
    "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass(:name)"
)
Step: TypeAlias = Callable[[Connection], object]


class Migrations:
    """The numbered steps of one application: forward only, and all that are missing or none.

    `migrate` and `pending` are what an `Application` asks for; both name steps as `0001`. They may
    be called by several processes at once, when the queue has its own tables. Where PostgreSQL has
    the queue's roles, workers may use the `relations` that are named: tables and views. What else
    they need is given by `share`, there and at each call by who owns the tables: roles may come
    later.
    """

    def __init__(
        self,
        name: str,
        steps: Mapping[int, Step],
        *,
        relations: Sequence[str] = (),
        share: Step | None = None,
    ) -> None:
        self.steps = dict(steps)
        self.share = share
        self.relations = [f"{name}_version", *relations]
        self._version = Table(
            f"{name}_version", MetaData(), Column("number", Integer, primary_key=True)
        )
        # Of PostgreSQL, where two that migrate at once take turns; SQLite has one writer anyway.
        digest = hashlib.blake2b(f"leasehold {name}".encode(), digest_size=8).digest()
        self._lock = int.from_bytes(digest, signed=True)

    def migrate(self, client: Client) -> list[str]:
        """Take the missing steps in one transaction; names those that were taken."""
        with closing(Database(client.url)) as database, database.write() as connection:
            if not database.is_sqlite:
                connection.execute(select(func.pg_advisory_xact_lock(self._lock)))
            self._version.create(connection, checkfirst=True)
            missing = self._missing(connection)
            for number in missing:
                self.steps[number](connection)
                connection.execute(insert(self._version), {"number": number})
            if not database.is_sqlite:
                self._share(connection)
        return _named(missing)

    def pending(self, client: Client) -> list[str]:
        """Name the steps that were not taken yet, and take none."""
        with closing(Database(client.url)) as database, database.read() as connection:
            is_new = not inspect(connection).has_table(self._version.name)
            return _named(sorted(self.steps) if is_new else self._missing(connection))

    def _share(self, connection: Connection) -> None:
        """Give who does the queue's work the rights that they lack, where they are ours to give."""
        quote = connection.dialect.identifier_preparer.quote
        for role, relation in connection.execute(_LACKING, {"names": self.relations}).all():
            connection.execute(text(f"GRANT {_RIGHTS} ON {relation} TO {quote(role)}"))
        is_ours = connection.scalar(_IS_OURS, {"name": self._version.name})
        if self.share is not None and is_ours:
            self.share(connection)

    def _missing(self, connection: Connection) -> list[int]:
        done = set(connection.scalars(select(self._version.c.number)))
        return [number for number in sorted(self.steps) if number not in done]


def _named(numbers: list[int]) -> list[str]:
    return [f"{number:04}" for number in numbers]
