"""`client.tokens` and `client.audit` for asyncio: the same verbs, awaited, in threads."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from leasehold.model.access import Right

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from leasehold.auditing import Audit
    from leasehold.model.access import Holder, Token
    from leasehold.model.audit import AuditRecord
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


class AsyncAudit:
    """What people did: who, what, from where, how many."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit

    async def list(
        self,
        *,
        tenant: str | None = None,
        actor: str | None = None,
        action: str | None = None,
        since: datetime | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> Sequence[AuditRecord]:
        """List what was done, the newest first. For more pass the last one's id as `before`."""
        return await asyncio.to_thread(
            self._audit.list,
            tenant=tenant,
            actor=actor,
            action=action,
            since=since,
            before=before,
            limit=limit,
        )

    async def prune(self, older: Duration, *, by: str | None = None) -> int:
        """Take away what was done longer ago than this; returns how many rows went."""
        return await asyncio.to_thread(self._audit.prune, older, by=by)
