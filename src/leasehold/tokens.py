"""Tokens, with which programs and people get in: `client.tokens.add("ci", scope="operate")`."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.acting import recorded, who
from leasehold.checking import check_name
from leasehold.errors import BadOption
from leasehold.model.access import NewToken, Right, Token
from leasehold.model.durations import Duration, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from leasehold.model.access import Holder
    from leasehold.store.base import Store

PREFIX = "lh_"
USE_NOTED_EVERY_SECONDS = 3_600.0
_ID_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_ID_LENGTH = 12
_SECRET_BYTES = 32
_FORM = re.compile(rf"{PREFIX}([{_ID_LETTERS}]{{{_ID_LENGTH}}})_[A-Za-z0-9_-]{{43}}")
_NO_DIGEST = bytes(32)


class IssuedToken(msgspec.Struct, frozen=True, kw_only=True):
    """A new token, and its secret: the only time that anybody sees it."""

    secret: str
    token: Token

    def __repr__(self) -> str:
        return f"<IssuedToken {self.token.name!r}>"


class Tokens:
    """The tokens of a queue's service."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store

    def add(
        self,
        name: str,
        *,
        scope: Right | str = Right.READ,
        tenant: str | None = None,
        expires: Duration | None = None,
        by: str | None = None,
    ) -> IssuedToken:
        """Make a token. From now on nobody uses the service without one.

        With a tenant it sees and changes only what is that tenant's.
        """
        token_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))
        secret = f"{PREFIX}{token_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"
        wanted = NewToken(
            id=token_id,
            name=check_name("name", name),
            digest=digest_of(secret),
            right=read_right(scope),
            tenant=None if tenant is None else check_name("tenant", tenant),
            expires_seconds=_expiry(expires),
            by=who(by),
        )
        detail: dict[str, Any] = {"scope": wanted.right, "expires": expires}
        with recorded(self._store(), "token.add", name, by=by, tenant=tenant or "", **detail):
            token = self._store().add_token(wanted)
            if token is None:
                raise BadOption(f"a token {name!r} stands: revoke it first, or choose another name")
        return IssuedToken(secret=secret, token=token)

    def list(self) -> Sequence[Token]:
        """List all tokens, the newest first; nobody can list their secrets."""
        return self._store().tokens()

    def revoke(self, name: str) -> bool:
        """Let a token be good for nothing, within a second; False when none of the name stands."""
        with recorded(self._store(), "token.revoke", name) as doing:
            is_revoked = self._store().revoke_token(name)
            doing.count = int(is_revoked)
        return is_revoked

    def check(self, secret: str) -> Holder | None:
        """Say whom a token speaks for; None when it is none, was revoked, or has expired."""
        form = _FORM.fullmatch(secret)
        if form is None:
            return None
        known = self._store().known_token(form[1])
        expected = _NO_DIGEST if known is None else known.digest
        is_right = hmac.compare_digest(digest_of(secret), expected)
        if known is None or not is_right or not known.token.stands(known.now):
            return None
        if _is_long_ago(known.token, known.now.timestamp()):
            self._store().note_token_use(known.token.id, every_seconds=USE_NOTED_EVERY_SECONDS)
        return known.token.holder


def digest_of(secret: str) -> bytes:
    """Return what is kept of a secret. It is 256 random bits: a slow hash would protect nothing."""
    return hashlib.sha256(secret.encode()).digest()


def read_right(scope: Right | str) -> Right:
    """Read the name of a right."""
    try:
        return Right(scope)
    except ValueError:
        raise BadOption(f"scope: {scope!r} is not one of {', '.join(Right)}") from None


def _expiry(expires: Duration | None) -> float | None:
    if expires is None:
        return None
    span = seconds(expires, name="expires")
    if span <= 0:
        raise BadOption("expires: must be longer than 0")
    return span


def _is_long_ago(token: Token, now: float) -> bool:
    """Whether it is worth a write that it was used."""
    used_at = token.last_used_at
    return used_at is None or now - used_at.timestamp() >= USE_NOTED_EVERY_SECONDS
