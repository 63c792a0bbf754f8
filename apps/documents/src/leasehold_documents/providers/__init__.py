"""How clouds are read: one module each, one interface, one HTTP reader, one way to get tokens."""

from __future__ import annotations

from leasehold_documents.providers.dropbox import Dropbox
from leasehold_documents.providers.gdrive import GoogleDrive
from leasehold_documents.providers.http import Bearer, Http, Patience
from leasehold_documents.providers.interface import Entry, Page, Provider
from leasehold_documents.providers.oauth import Endpoints, Tokens
from leasehold_documents.providers.onedrive import OneDrive

PROVIDERS: dict[str, type[Provider]] = {
    Dropbox.name: Dropbox,
    OneDrive.name: OneDrive,
    GoogleDrive.name: GoogleDrive,
}

__all__ = [
    "PROVIDERS",
    "Bearer",
    "Dropbox",
    "Endpoints",
    "Entry",
    "GoogleDrive",
    "Http",
    "OneDrive",
    "Page",
    "Patience",
    "Provider",
    "Tokens",
]
