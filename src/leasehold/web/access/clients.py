"""The client that somebody works with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leasehold.client import Client
    from leasehold.web.access.identity import Identity


def identity_client(client: Client, identity: Identity | None) -> Client:
    """Return the client of whoever asks: who is bound to a tenant has only that tenant's."""
    if identity is None or identity.tenant is None:
        return client
    return client.for_tenant(identity.tenant)
