"""What the operator was given by each cloud, and where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leasehold_documents.errors import Rejected
from leasehold_documents.providers import PROVIDERS, Endpoints
from leasehold_documents.providers.oauth import App
from leasehold_documents.settings import settings

if TYPE_CHECKING:
    from leasehold_documents.settings import Settings


def app_of(provider: str, said: Settings | None = None) -> App:
    """Return the client's id and secret, else `PROVIDER_NOT_SET_UP`."""
    known = said or settings()
    if provider not in PROVIDERS:
        raise Rejected("PROVIDER_UNKNOWN", f"it is one of {', '.join(PROVIDERS)}")
    client_id: str = getattr(known, f"{provider}_id")
    if not client_id:
        raise Rejected("PROVIDER_NOT_SET_UP", f"the operator has not set up {provider}")
    return App(client_id=client_id, client_secret=getattr(known, f"{provider}_secret"))


def offered(said: Settings | None = None) -> list[str]:
    """Name the clouds that the operator has set up."""
    known = said or settings()
    return [provider for provider in PROVIDERS if getattr(known, f"{provider}_id")]


def endpoints_of(connector: dict[str, Any]) -> Endpoints:
    """Return where a connector's cloud is: never what a person of the tenant has said."""
    provider: str = connector["provider"]
    address = connector["base_url"] or getattr(settings(), f"{provider}_url") or None
    return Endpoints.of(provider, address)
