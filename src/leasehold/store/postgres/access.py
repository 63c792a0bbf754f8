"""Tokens and sessions, by the digests of their secrets."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any

from leasehold.model.access import Holder, KnownToken, NewToken, Right, Token
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

PACKAGE = "leasehold.store.postgres"


class Access:
    """The part of the store that the service asks who somebody is."""

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def _access(self, operation: str, **parameters: Any) -> list[Any]:
        return self._run(load(PACKAGE, operation), skew=self._skew, **parameters)

    def add_token(self, token: NewToken) -> Token | None:
        found = self._access(
            "add_token",
            id=token.id,
            name=token.name,
            digest=token.digest,
            scope=token.right.value,
            bound_to=token.tenant,
            by=token.by,
            expires_seconds=token.expires_seconds,
        )
        return _token(found[0]) if found else None

    def tokens(self) -> Sequence[Token]:
        return [_token(row) for row in self._run(load(PACKAGE, "tokens"))]

    def has_tokens(self) -> bool:
        return bool(self._run(load(PACKAGE, "has_tokens"))[0][0])

    def known_token(self, token_id: str) -> KnownToken | None:
        found = self._access("known_token", id=token_id)
        if not found:
            return None
        *token, digest, now = found[0]
        return KnownToken(token=_token(token), digest=bytes(digest), now=now.astimezone(UTC))

    def revoke_token(self, name: str) -> bool:
        return bool(self._access("revoke_token", name=name))

    def note_token_use(self, token_id: str, *, every_seconds: float) -> None:
        self._access("note_token_use", id=token_id, every_seconds=every_seconds)

    def open_session(self, digest: bytes, holder: Holder, *, seconds: float) -> None:
        self._access(
            "open_session",
            digest=digest,
            token=holder.token,
            name=holder.name,
            scope=holder.right.value,
            bound_to=holder.tenant,
            seconds=seconds,
        )

    def session(self, digest: bytes) -> Holder | None:
        found = self._access("session", digest=digest)
        if not found:
            return None
        name, scope, tenant, token, expires_at = found[0]
        return Holder(
            name=name,
            right=Right(scope),
            tenant=tenant,
            token=token,
            expires_at=expires_at.astimezone(UTC),
        )

    def close_session(self, digest: bytes) -> bool:
        return bool(self._run(load(PACKAGE, "close_session"), digest=digest))


def _token(row: Sequence[Any]) -> Token:
    return Token(
        id=row[0],
        name=row[1],
        right=Right(row[2]),
        tenant=row[3],
        created_at=row[4].astimezone(UTC),
        created_by=row[5],
        expires_at=_utc(row[6]),
        revoked_at=_utc(row[7]),
        last_used_at=_utc(row[8]),
    )


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)
