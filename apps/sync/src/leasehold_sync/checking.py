"""Whether an app can be read: its configuration, its credential, and a page of its source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from leasehold_sync import apps
from leasehold_sync.connectors import Http, connector_named
from leasehold_sync.settings import settings

if TYPE_CHECKING:
    import leasehold as lh
    from leasehold_sync.model.apps import App


def check(client: lh.Client, app: App, resources: Sequence[str] | None = None) -> dict[str, int]:
    """Read a page of these resources, else of the first; returns how many objects each has.

    Raises what a sync would fail with. Nothing is written.
    """
    wanted = apps.choose(app, resources)
    config = apps.config_of(client, app)
    page_seconds = settings().page
    with Http(time_left=lambda: page_seconds) as http:
        connector = connector_named(app.connector)(http)
        connector.validate(config)
        return {
            name: len(connector.page(config, name, None, None, None).items)
            for name in (wanted if resources else wanted[:1])
        }
