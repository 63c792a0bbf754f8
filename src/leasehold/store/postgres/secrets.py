"""Encrypted values on their way to another key, and those that applications keep."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.credentials import CredentialInfo
from leasehold.model.resealing import Resealed, SealedIn, SealedPage, SealedRow
from leasehold.store.contract.secrets import first_keys
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGE = "leasehold.store.postgres"
_rows = msgspec.json.Decoder(list[SealedRow]).decode
_encode = msgspec.json.Encoder().encode


class Secrets:
    """The part of the store that holds ciphertext; it knows no key."""

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def sealed_page(
        self, what: SealedIn, cursor: str | None = None, *, limit: int, fine: Sequence[str] = ()
    ) -> SealedPage:
        after = first_keys(what) if cursor is None else msgspec.json.decode(cursor)
        given = {f"after_{number}": part for number, part in enumerate(after)}
        ((seen, last, found),) = self._run(
            load(PACKAGE, f"sealed_{what.value}"), limit=limit, fine=list(fine), **given
        )
        return SealedPage(seen, _rows(found), last if seen == limit else None)

    def reseal(self, what: SealedIn, changes: Sequence[Resealed]) -> int:
        if not changes:
            return 0
        sql = load(PACKAGE, f"reseal_{what.value}")
        return len(self._run(sql, changes=_encode(changes).decode()))

    def duty_cursor(self, name: str) -> str | None:
        found = self._run(load(PACKAGE, "duty_cursor"), name=name)
        return found[0][0] if found else None

    def put_credential(self, name: str, value: str, *, tenant: str, by: str | None) -> None:
        given = {"name": name, "value": value, "tenant": tenant, "by": by}
        self._run(load(PACKAGE, "put_credential"), skew=self._skew, **given)

    def credential(self, name: str, *, tenant: str) -> str | None:
        found = self._run(load(PACKAGE, "credential"), name=name, tenant=tenant)
        return found[0][0] if found else None

    def credentials(self, *, tenant: str | None = None) -> list[CredentialInfo]:
        found = self._run(load(PACKAGE, "credentials"), tenant=tenant)
        return [
            CredentialInfo(
                name=name, tenant=whose, key=key, set_by=by, updated_at=at.astimezone(UTC)
            )
            for name, whose, key, by, at in found
        ]

    def delete_credential(self, name: str, *, tenant: str) -> bool:
        return bool(self._run(load(PACKAGE, "delete_credential"), name=name, tenant=tenant))
