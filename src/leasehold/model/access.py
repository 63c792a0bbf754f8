"""Who may do what: rights, the tokens that carry them, and sessions of people who logged in."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import msgspec


class Right(StrEnum):
    """What somebody may do; each includes those before it."""

    READ = "read"
    OPERATE = "operate"
    ADMIN = "admin"

    def includes(self, other: Right) -> bool:
        """Whether who has this right may do what needs the other one."""
        return _ORDER[self] >= _ORDER[other]


_ORDER = {right: number for number, right in enumerate(Right)}


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Whom a credential speaks for. `tenant` None is nobody's in particular: all tenants."""

    name: str
    right: Right
    tenant: str | None = None
    token: str | None = None  # the id of the token behind it
    expires_at: datetime | None = None


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A token as it is kept: without its secret, of which the store has only a digest."""

    id: str
    name: str
    right: Right
    tenant: str | None
    created_at: datetime
    created_by: str | None
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None

    def stands(self, now: datetime) -> bool:
        """Whether it is good for anything at this moment."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    @property
    def holder(self) -> Holder:
        return Holder(
            name=self.name,
            right=self.right,
            tenant=self.tenant,
            token=self.id,
            expires_at=self.expires_at,
        )


class NewToken(msgspec.Struct, frozen=True, kw_only=True):
    """A token to be kept."""

    id: str
    name: str
    digest: bytes
    right: Right
    tenant: str | None
    expires_seconds: float | None
    by: str | None


class KnownToken(msgspec.Struct, frozen=True, kw_only=True):
    """A token with the digest of its secret, for whoever compares it; `now` is the store's."""

    token: Token
    digest: bytes
    now: datetime
