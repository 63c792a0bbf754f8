"""Connectors as people see them: whose they are, and how they stand. Tokens are shown to nobody."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any
from uuid import UUID

from leasehold_documents.access import Service
from leasehold_documents.data import connectors
from leasehold_documents.errors import NotFound
from leasehold_documents.importing.tokens import TokenKeeper
from leasehold_documents.model.jobs import IMPORT_QUEUE
from leasehold_documents.providers.errors import AccessRevoked

if TYPE_CHECKING:
    from leasehold_documents.access import Access

_LIVE = ("queued", "blocked", "running", "failed")


def find(access: Access) -> list[dict[str, Any]]:
    """List the tenant's connectors by name."""
    with access.read() as connection:
        return connectors.find(connection, access.tenant_id)


def get(access: Access, connector_id: UUID) -> dict[str, Any]:
    """Return a connector's row, else `NotFound`."""
    with access.read() as connection:
        found = connectors.get(connection, access.tenant_id, connector_id)
    if found is None:
        raise NotFound("connector", connector_id)
    return found


def remove(access: Access, connector_id: UUID) -> None:
    """Disconnect: imports that wait or run are cancelled, tokens forgotten. Papers stay.

    Who has connected it may, and whoever is admin.
    """
    connector = get(access, connector_id)
    access.require("member" if connector["created_by"] == access.user_id else "admin")
    _cancel_imports(access, connector)
    with suppress(AccessRevoked):
        TokenKeeper(Service(access.client, access.database), connector).forget()
    with access.write() as session:
        connectors.remove(session.connection(), access.tenant_id, connector_id)


def _cancel_imports(access: Access, connector: dict[str, Any]) -> None:
    """Cancel what has not ended. What is begun meanwhile finds no connector, and ends as well."""
    kind = f"import_{connector['provider']}"
    for state in _LIVE:
        for job in access.client.each(state=state, queue=IMPORT_QUEUE, kind=kind):
            if job.args.get("connector_id") == str(connector["id"]):
                access.client.cancel(job.id)
