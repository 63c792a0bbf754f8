"""What a store can do for access: keep tokens and sessions, by the digests of their secrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from leasehold.model.access import Holder, KnownToken, NewToken, Token


class AccessStore(Protocol):
    """Each method is one atomic operation. No secret ever comes here."""

    def add_token(self, token: NewToken) -> Token | None:
        """Keep a token; None when one of that name stands already."""

    def tokens(self) -> Sequence[Token]:
        """List all tokens, revoked and expired ones too, the newest first."""

    def has_tokens(self) -> bool:
        """Whether there ever was a token: then nobody gets in without one."""

    def known_token(self, token_id: str) -> KnownToken | None:
        """Look a token up by the part of it that is no secret."""

    def revoke_token(self, name: str) -> bool:
        """Let a token be good for nothing any more, and end its sessions; False: none stands."""

    def note_token_use(self, token_id: str, *, every_seconds: float) -> None:
        """Write down that it was used, unless that was done so lately."""

    def open_session(self, digest: bytes, holder: Holder, *, seconds: float) -> None:
        """Keep a session for so long, and forget those that are over."""

    def session(self, digest: bytes) -> Holder | None:
        """Say whose session it is; None when it is over, or its token does not stand."""

    def close_session(self, digest: bytes) -> bool:
        """End a session; False when there was none."""
