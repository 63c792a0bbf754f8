"""A cloud's folders, for people who choose what to import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from leasehold_documents.access import Service
from leasehold_documents.errors import Rejected
from leasehold_documents.importing.connectors import get
from leasehold_documents.importing.opening import open_provider
from leasehold_documents.importing.tokens import TokenKeeper
from leasehold_documents.providers import Entry
from leasehold_documents.providers.errors import AccessRevoked, ProviderFailed
from leasehold_documents.providers.interface import GONE

if TYPE_CHECKING:
    from leasehold_documents.access import Access

_SHOWN = ("id", "name", "kind", "size", "refused")


def browse(
    access: Access,
    connector_id: UUID,
    path: str = "/",
    *,
    folder_id: str | None = None,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Show a page of one folder: `{folder_id, entries, cursor}`.

    The folder is named by its path, or by the id that a page showed. `Rejected` with the cloud's
    code when it can't be read.
    """
    access.require("member")
    connector = get(access, connector_id)
    keeper = TokenKeeper(Service(access.client, access.database), connector)
    try:
        with open_provider(connector, keeper) as provider:
            place = provider.place(path) if folder_id is None else folder_id
            page = provider.browse(place, cursor)
    except AccessRevoked as error:
        keeper.expire()
        raise Rejected(error.code, error.reason) from None
    except ProviderFailed as error:
        raise Rejected(error.code, error.reason) from None
    entries = [_shown(entry) for entry in page.entries if entry.kind != GONE]
    return {"folder_id": place, "entries": entries, "cursor": page.cursor}


def _shown(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in _SHOWN}
