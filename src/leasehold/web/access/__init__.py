"""Who asks, and what they may do: tokens, sessions, rights on every route, rates."""

from leasehold.web.access.identity import Identity, identity_of

__all__ = ["Identity", "identity_of"]
