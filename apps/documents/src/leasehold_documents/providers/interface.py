"""What every provider keeps: one page or one file per call, and nothing remembered.

    with Http(bearer) as http:
        provider = PROVIDERS["dropbox"](http, Endpoints.of("dropbox", None))
        place = provider.place("/Verträge")
        page = provider.page(place, None)

All that a listing needs to go on stands in its cursor, so any process can take it up at any time.
"""

from __future__ import annotations

from typing import BinaryIO, ClassVar, Protocol

import msgspec

from leasehold_documents.providers.http import Http
from leasehold_documents.providers.oauth import Endpoints

FILE = "file"
FOLDER = "folder"
GONE = "gone"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A file or a folder as the cloud shows it. Names are its own: text, never a path of ours."""

    id: str
    name: str
    kind: str = FILE
    #: Which content it is. A file that is only renamed or moved keeps it.
    revision: str = ""
    size: int | None = None
    #: The folder it is in; `path` where the cloud tells it.
    parent: str = ""
    path: str = ""
    #: `algorithm:value`, to check what comes.
    digest: str = ""
    #: What it has to be exported as, when it has no content of its own.
    export: str = ""
    #: Why it can't be had at all, as a code; empty when it can.
    refused: str = ""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a listing; the cursor is None at its end."""

    entries: tuple[Entry, ...]
    cursor: str | None = None


class Provider(Protocol):
    """Reads one kind of cloud. Every error is a `ProviderFailed`."""

    name: ClassVar[str]
    #: Whether `page` shows all that is below a place; else folders are entries to be read, too.
    is_recursive: ClassVar[bool]
    #: Whether `page` shows the whole drive, of which the caller keeps what is below the place.
    is_whole_drive: ClassVar[bool]

    def __init__(self, http: Http, endpoints: Endpoints) -> None: ...

    def account(self) -> str:
        """Name whose it is, for people."""
        ...

    def place(self, path: str) -> str:
        """Return the id of a folder by its path, `/` for all; `RemoteMissing` if there is none."""
        ...

    def page(self, place: str, cursor: str | None) -> Page:
        """Read one page of what is to be imported from a place."""
        ...

    def browse(self, place: str, cursor: str | None) -> Page:
        """Read one page of one folder, for people who choose."""
        ...

    def look(self, identifier: str) -> Entry:
        """Return one file by its id, or by its path if it begins with `/`."""
        ...

    def fetch(self, entry: Entry, into: BinaryIO, most_bytes: int) -> None:
        """Write the content, and check it; `TooLarge` when there is more."""
        ...
