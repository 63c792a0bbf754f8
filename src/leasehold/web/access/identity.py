"""Whom a request speaks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.requests import HTTPConnection

from leasehold.model.access import Holder, Right

if TYPE_CHECKING:
    from collections.abc import MutableMapping

STATE = "leasehold_identity"
Asked: TypeAlias = "HTTPConnection | MutableMapping[str, Any]"


class Manner(StrEnum):
    """How somebody showed who they are."""

    OPEN = "open"  # not at all: nobody is asked
    TOKEN = "token"  # noqa: S105 - a word, no secret
    JWT = "jwt"
    SESSION = "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Somebody, and what they may do. `tenant` None: they see all tenants."""

    name: str
    right: Right
    tenant: str | None = None
    manner: Manner = Manner.TOKEN
    token: str | None = None  # the id of the token behind it
    expires_at: datetime | None = None
    csrf: str = ""  # what forms of this session have to say
    session: bytes = b""  # the digest of its cookie

    def may(self, right: Right) -> bool:
        return self.right.includes(right)

    @property
    def sight(self) -> str:
        """The same for all who see the same pages."""
        return f"{self.right}|{'*' if self.tenant is None else '=' + self.tenant}"


# Nobody is asked who they are: whoever reaches the service may do everything.
OPEN = Identity(name="", right=Right.ADMIN, manner=Manner.OPEN)


def identity_of(asked: Asked) -> Identity | None:
    """Return whom a request speaks for; None on a page that is for everybody.

    For applications inside the service. A host that has its own way to know people may write an
    `Identity` into the request's state under `leasehold_identity`: then nobody else is asked.
    """
    scope: Any = asked.scope if isinstance(asked, HTTPConnection) else asked
    found: Identity | None = scope.get("state", {}).get(STATE)
    return found


def from_holder(holder: Holder, manner: Manner, **rest: Any) -> Identity:
    """Turn what the store knows into an identity."""
    return Identity(
        name=holder.name,
        right=holder.right,
        tenant=holder.tenant,
        token=holder.token,
        expires_at=holder.expires_at,
        manner=manner,
        **rest,
    )
