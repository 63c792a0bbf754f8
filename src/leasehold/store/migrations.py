"""Numbered SQL files, forward only, and whether the tables they made fit this code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources

from leasehold.errors import SchemaMismatch

_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
_SERVES = re.compile(r"-- serves code from (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step. `serves_from` is the oldest code version that still works after it."""

    version: int
    name: str
    serves_from: int
    sql: str


def load_migrations(package: str) -> tuple[Migration, ...]:
    """Read `<package>/migrations/NNNN_name.sql`, in order."""
    folder = resources.files(package).joinpath("migrations")
    found = [(entry.name, entry.read_text("utf-8")) for entry in folder.iterdir()]
    return tuple(_parse(name, sql) for name, sql in sorted(found) if _NAME.fullmatch(name))


def _parse(name: str, sql: str) -> Migration:
    serves = _SERVES.match(sql)
    if serves is None:
        msg = f"{name}: the first line must say `-- serves code from N`"
        raise ValueError(msg)
    return Migration(
        version=int(name[:4]),
        name=name.removesuffix(".sql"),
        serves_from=int(serves[1]),
        sql=sql,
    )


def check_fit(*, version: int, serves_from: int, code_version: int) -> None:
    """Raise `SchemaMismatch` unless tables at `version` and code of `code_version` fit."""
    if version == 0:
        raise SchemaMismatch("there are no leasehold tables here yet: run `leasehold migrate`")
    if version < code_version:
        raise SchemaMismatch(
            f"the tables are at version {version}, this leasehold needs {code_version}: "
            "run `leasehold migrate`"
        )
    if code_version < serves_from:
        raise SchemaMismatch(
            f"the tables are at version {version} and serve code from version {serves_from}, "
            f"this leasehold is version {code_version}: upgrade leasehold"
        )
