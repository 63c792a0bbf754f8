"""Where a provider sends people back to, and whose consent it is that they come back with."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from leasehold_documents import importing
from leasehold_documents.errors import Rejected
from leasehold_documents.importing.connecting import PURPOSE
from leasehold_documents.vault import signing
from leasehold_documents.web.people import enter_to_change

if TYPE_CHECKING:
    from fastapi import Request

    from leasehold_documents.access import Access
    from leasehold_documents.importing import Asked
    from leasehold_documents.web.hub import Hub

CALLBACK = "/connectors/callback"


def callback_of(request: Request, hub: Hub) -> str:
    """Return the address that providers know: as the operator says it, else as it was asked."""
    root: str = request.scope.get("root_path", "")
    said = hub.settings.public_url.rstrip("/")
    return f"{said or f'{request.url.scheme}://{request.url.netloc}'}{root}{CALLBACK}"


def ask_provider(
    request: Request, hub: Hub, access: Access, provider: str, name: str = ""
) -> Asked:
    """Begin to connect a drive."""
    back = callback_of(request, hub)
    return importing.connect(access, provider, redirect_uri=back, name=name)


def ask_again(request: Request, hub: Hub, access: Access, connector_id: UUID) -> Asked:
    """Begin to connect a drive anew whose consent is over."""
    found = importing.get(access, connector_id)
    return importing.connect(
        access,
        found["provider"],
        redirect_uri=callback_of(request, hub),
        connector_id=connector_id,
    )


def access_of(request: Request, hub: Hub, state: str) -> Access:
    """Let somebody into the tenant for which they began this, whatever they chose meanwhile."""
    said = signing.read(hub.settings, PURPOSE, state)
    return enter_to_change(request, UUID(said["tenant"]))


def check_state(hub: Hub, access: Access, connector_id: UUID, state: str) -> None:
    """Refuse a state that was given out for another connector."""
    importing.get(access, connector_id)
    if signing.read(hub.settings, PURPOSE, state)["connector"] != str(connector_id):
        raise Rejected("STATE_INVALID", "this was begun for another connector")
