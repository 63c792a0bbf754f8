"""Dropbox, OneDrive and Google Drive on this machine: as strict as they are, with files of yours.

They behave like the real ones where an import could go wrong: cursors that are reset, items that
come twice, tokens that run out or rotate, redirects that want no credential, exports, shortcuts,
equal names, and 403 that means a rate. Tests and the demo use them over real HTTP.
"""

from __future__ import annotations

from leasehold_documents.servers.controls import Controls
from leasehold_documents.servers.dropbox import DropboxServer
from leasehold_documents.servers.gdrive import DriveServer
from leasehold_documents.servers.onedrive import GraphServer
from leasehold_documents.servers.process import ServerProcess
from leasehold_documents.servers.server import FileServer

SERVERS: dict[str, type[FileServer]] = {
    server.name: server for server in (DropboxServer, DriveServer, GraphServer)
}

__all__ = [
    "SERVERS",
    "Controls",
    "DriveServer",
    "DropboxServer",
    "FileServer",
    "GraphServer",
    "ServerProcess",
]
