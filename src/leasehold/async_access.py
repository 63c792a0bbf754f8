"""`client.tokens` for asyncio: the same verbs, awaited, in threads."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from leasehold.model.access import Right

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.access import Holder, Token
    from leasehold.model.durations import Duration
    from leasehold.tokens import IssuedToken, Tokens


class AsyncTokens:
    """The tokens of a queue's service."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    async def add(
        self,
        name: str,
        *,
        scope: Right | str = Right.READ,
        tenant: str | None = None,
        expires: Duration | None = None,
        by: str | None = None,
    ) -> IssuedToken:
        """Make a token. From now on nobody uses the service without one."""
        return await asyncio.to_thread(
            self._tokens.add, name, scope=scope, tenant=tenant, expires=expires, by=by
        )

    async def list(self) -> Sequence[Token]:
        """List all tokens, the newest first; nobody can list their secrets."""
        return await asyncio.to_thread(self._tokens.list)

    async def revoke(self, name: str) -> bool:
        """Let a token be good for nothing, within a second; False when none of the name stands."""
        return await asyncio.to_thread(self._tokens.revoke, name)

    async def check(self, secret: str) -> Holder | None:
        """Say whom a token speaks for; None when it is none, was revoked, or has expired."""
        return await asyncio.to_thread(self._tokens.check, secret)
