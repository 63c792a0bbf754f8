"""What can go wrong and can be said to a person in one line."""

from __future__ import annotations

from uuid import UUID

import leasehold as lh


class LinksError(lh.LeaseholdError):
    """The root of the library's errors: each carries what it is about."""


class FileTooLarge(LinksError):
    """A file is over the limit; nothing of it was written."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(
            f"the file is larger than {limit_bytes / 2**20:.4g} MB: export fewer folders at a time,"
            " or raise LEASEHOLD_LINKS_FILE_BYTES"
        )
        self.limit_bytes = limit_bytes


class ReaderDied(LinksError):
    """The process that read a file has ended before the file has."""

    def __init__(self) -> None:
        super().__init__("the process that read the file has ended: it is read again")


class ImportNotFound(LinksError):
    """There is no such import, or it is somebody else's."""

    def __init__(self, import_id: UUID) -> None:
        super().__init__(f"there is no import {import_id}")
        self.import_id = import_id


class FolderNotFound(LinksError):
    """There is no such folder, or it is somebody else's."""

    def __init__(self, folder_id: UUID) -> None:
        super().__init__(f"there is no folder {folder_id}")
        self.folder_id = folder_id


class FolderThere(LinksError):
    """There is another folder of that path; a path is one folder."""

    def __init__(self, folder_id: UUID) -> None:
        super().__init__("there is a folder of that name at that place: choose another name")
        self.folder_id = folder_id


class FolderMoved(LinksError):
    """A folder was renamed or moved while another one was put into it; nothing was written."""

    def __init__(self) -> None:
        super().__init__("somebody has just renamed or moved a folder on the way: try again")


class BadMove(LinksError):
    """A folder can't be there: `root`, `inside` (itself), `deep` or `name`."""

    def __init__(self, folder_id: UUID, reason: str) -> None:
        super().__init__(_MOVES[reason])
        self.folder_id = folder_id
        self.reason = reason


_MOVES = {
    "root": "the toolbar, the menu and the unfiled links stay where they are",
    "inside": "a folder can't be put into itself, or into one that is in it",
    "deep": "the folders in it would be too deep: no more than 50 are in each other",
    "name": "a folder needs a name",
}


class BadAddress(LinksError):
    """An address that no link can have: `scheme`, `too_long` or `malformed`."""

    def __init__(self, reason: str, scheme: str = "") -> None:
        super().__init__("this is no address of a web page: it has to begin with http or https")
        self.reason = reason
        self.scheme = scheme


class AlreadyThere(LinksError):
    """The folder has this link already; a folder has each link once."""

    def __init__(self, link_id: UUID, folder_id: UUID) -> None:
        super().__init__(f"the folder {folder_id} has the link {link_id} already")
        self.link_id = link_id
        self.folder_id = folder_id


class LinkNotFound(LinksError):
    """There is no such link, or it is somebody else's."""

    def __init__(self, link_id: UUID) -> None:
        super().__init__(f"there is no link {link_id}")
        self.link_id = link_id


class BadDomain(LinksError):
    """What was given names no domain."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text[:80]!r} is no domain; write example.com")
        self.text = text
