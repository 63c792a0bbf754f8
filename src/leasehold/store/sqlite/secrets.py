"""Encrypted values on their way to another key, and those that applications keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from leasehold.model.credentials import CredentialInfo
from leasehold.model.envelopes import key_in
from leasehold.model.resealing import Resealed, SealedIn, SealedPage, SealedRow
from leasehold.store.contract.secrets import first_keys, sealed_fields
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.statements import as_json, count, rows
from leasehold.store.sqlite.times import Clock, to_datetime

_rows = msgspec.json.Decoder(list[SealedRow]).decode


class Secrets:
    """The part of the store that holds ciphertext; it knows no key."""

    _database: Database
    _clock: Clock

    def sealed_page(
        self, what: SealedIn, cursor: str | None = None, *, limit: int, fine: Sequence[str] = ()
    ) -> SealedPage:
        after = first_keys(what) if cursor is None else msgspec.json.decode(cursor)
        given = {f"after_{number}": part for number, part in enumerate(after)}
        with self._database.read() as connection:
            ((seen, last, found),) = rows(
                connection, f"sealed_{what.value}", limit=limit, fine=as_json(list(fine)), **given
            )
        return SealedPage(seen, _rows(found), last if seen == limit else None)

    def reseal(self, what: SealedIn, changes: Sequence[Resealed]) -> int:
        if not changes:
            return 0
        with self._database.write() as connection:
            return sum(
                count(connection, f"reseal_{what.value}", **_named(what, each)) for each in changes
            )

    def duty_cursor(self, name: str) -> str | None:
        with self._database.read() as connection:
            found = rows(connection, "duty_cursor", name=name)
        return found[0][0] if found else None

    def put_credential(self, name: str, value: str, *, tenant: str, by: str | None) -> None:
        given = {"name": name, "value": value, "tenant": tenant, "by": by}
        with self._database.write() as connection:
            rows(connection, "put_credential", now=self._clock.now(), **given)

    def credential(self, name: str, *, tenant: str) -> str | None:
        with self._database.read() as connection:
            found = rows(connection, "credential", name=name, tenant=tenant)
        return found[0][0] if found else None

    def credentials(self, *, tenant: str | None = None) -> list[CredentialInfo]:
        with self._database.read() as connection:
            found = rows(connection, "credentials", tenant=tenant)
        return [
            CredentialInfo(
                name=name, tenant=whose, key=key_in(value), set_by=by, updated_at=to_datetime(at)
            )
            for name, whose, value, by, at in found
        ]

    def delete_credential(self, name: str, *, tenant: str) -> bool:
        with self._database.write() as connection:
            return count(connection, "delete_credential", name=name, tenant=tenant) > 0


def _named(what: SealedIn, change: Resealed) -> dict[str, Any]:
    named: dict[str, Any] = {f"key_{number}": part for number, part in enumerate(change.key)}
    for field in sealed_fields(what):
        named[f"old_{field}"] = change.old.get(field)
        named[f"new_{field}"] = change.new.get(field)
    return named
