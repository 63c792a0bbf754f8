"""APIs of others, on this machine: as strict as they are, with rows made up on the way.

They behave like the real ones where a sync could go wrong: cursors, caps, scrolls that die, rate
windows, rows that come and go while somebody reads. Tests and the demo use them over real HTTP.
"""

from __future__ import annotations

from leasehold.kit.servers import Seen
from leasehold_sync.servers.controls import Controls
from leasehold_sync.servers.intercom import IntercomServer
from leasehold_sync.servers.notion import NotionServer
from leasehold_sync.servers.process import ServerProcess
from leasehold_sync.servers.server import LocalServer
from leasehold_sync.servers.stripe import StripeServer

SERVERS: dict[str, type[LocalServer]] = {
    server.name: server for server in (IntercomServer, NotionServer, StripeServer)
}

__all__ = [
    "SERVERS",
    "Controls",
    "IntercomServer",
    "LocalServer",
    "NotionServer",
    "Seen",
    "ServerProcess",
    "StripeServer",
]
