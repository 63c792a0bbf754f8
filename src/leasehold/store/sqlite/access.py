"""Tokens and sessions, by the digests of their secrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leasehold.model.access import Holder, KnownToken, NewToken, Right, Token
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.statements import count, rows, value
from leasehold.store.sqlite.times import SECOND, Clock, to_datetime, to_datetime_or_none

_DIGEST = 9  # the column after those of a token


class Access:
    """The part of the store that the service asks who somebody is."""

    _database: Database
    _clock: Clock

    def add_token(self, token: NewToken) -> Token | None:
        with self._database.write() as connection:
            now, seconds = self._clock.now(), token.expires_seconds
            added = count(
                connection,
                "add_token",
                id=token.id,
                name=token.name,
                digest=token.digest,
                scope=token.right.value,
                bound_to=token.tenant,
                now=now,
                by=token.by,
                expires_at=None if seconds is None else now + int(seconds * SECOND),
            )
            if added <= 0:
                return None
            return _token(rows(connection, "known_token", id=token.id)[0])

    def tokens(self) -> Sequence[Token]:
        with self._database.read() as connection:
            return [_token(row) for row in rows(connection, "tokens")]

    def has_tokens(self) -> bool:
        with self._database.read() as connection:
            return bool(value(connection, "has_tokens"))

    def known_token(self, token_id: str) -> KnownToken | None:
        with self._database.read() as connection:
            found = rows(connection, "known_token", id=token_id)
        now = to_datetime(self._clock.now())
        return (
            KnownToken(token=_token(found[0]), digest=found[0][_DIGEST], now=now) if found else None
        )

    def revoke_token(self, name: str) -> bool:
        with self._database.write() as connection:
            revoked = rows(connection, "revoke_token", name=name, now=self._clock.now())
            for (token_id,) in revoked:
                count(connection, "end_sessions", token=token_id)
        return bool(revoked)

    def note_token_use(self, token_id: str, *, every_seconds: float) -> None:
        with self._database.write() as connection:
            now = self._clock.now()
            before = now - int(every_seconds * SECOND)
            count(connection, "note_token_use", id=token_id, now=now, before=before)

    def open_session(self, digest: bytes, holder: Holder, *, seconds: float) -> None:
        with self._database.write() as connection:
            now = self._clock.now()
            count(connection, "forget_sessions", now=now)
            count(
                connection,
                "open_session",
                digest=digest,
                token=holder.token,
                name=holder.name,
                scope=holder.right.value,
                bound_to=holder.tenant,
                now=now,
                expires_at=now + int(seconds * SECOND),
            )

    def session(self, digest: bytes) -> Holder | None:
        with self._database.read() as connection:
            found = rows(connection, "session", digest=digest, now=self._clock.now())
        if not found:
            return None
        name, scope, tenant, token, expires_at = found[0]
        return Holder(
            name=name,
            right=Right(scope),
            tenant=tenant,
            token=token,
            expires_at=to_datetime(expires_at),
        )

    def close_session(self, digest: bytes) -> bool:
        with self._database.write() as connection:
            return count(connection, "close_session", digest=digest) > 0


def _token(row: Sequence[Any]) -> Token:
    return Token(
        id=row[0],
        name=row[1],
        right=Right(row[2]),
        tenant=row[3],
        created_at=to_datetime(row[4]),
        created_by=row[5],
        expires_at=to_datetime_or_none(row[6]),
        revoked_at=to_datetime_or_none(row[7]),
        last_used_at=to_datetime_or_none(row[8]),
    )
