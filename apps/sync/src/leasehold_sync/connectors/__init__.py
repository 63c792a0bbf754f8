"""How sources are read: one module each, one interface, one HTTP reader."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from leasehold_sync.connectors.http import Http
from leasehold_sync.connectors.interface import Connector
from leasehold_sync.errors import ConnectorNotFound

__all__ = ["Connector", "Http", "connector_named", "connector_names"]

#: Other packages offer theirs as entry points of this group.
GROUP = "leasehold_sync.connectors"
_OWN = {
    "intercom": "intercom:IntercomConnector",
    "notion": "notion:NotionConnector",
    "numbered": "windows:NumberedConnector",
    "offset": "windows:OffsetConnector",
    "stripe": "stripe:StripeConnector",
}


def connector_named(name: str) -> type[Connector]:
    """Return a connector by its name: ours, or another package's."""
    if place := _OWN.get(name):
        module, _, kind = place.partition(":")
        return cast("type[Connector]", getattr(import_module(f"{__name__}.{module}"), kind))
    for offered in entry_points(group=GROUP, name=name):
        return cast("type[Connector]", offered.load())
    raise ConnectorNotFound(name, connector_names())


def connector_names() -> tuple[str, ...]:
    return tuple(sorted({*_OWN, *entry_points(group=GROUP).names}))
