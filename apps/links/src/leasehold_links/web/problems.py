"""How the library's own errors are told over HTTP."""

from __future__ import annotations

from leasehold.kit.web import Problems
from leasehold_links import errors
from leasehold_links.bookmarks.values import NotBookmarks

PROBLEMS = Problems(
    {
        errors.AlreadyThere: (409, "already-there"),
        errors.BadAddress: (422, "bad-address"),
        errors.BadDomain: (422, "bad-domain"),
        errors.BadMove: (422, "bad-move"),
        errors.FileTooLarge: (413, "too-large"),
        errors.FolderMoved: (409, "folder-moved"),
        errors.FolderNotFound: (404, "folder-not-found"),
        errors.FolderThere: (409, "folder-there"),
        errors.ImportNotFound: (404, "import-not-found"),
        errors.LinkNotFound: (404, "link-not-found"),
        NotBookmarks: (422, "not-bookmarks"),
    }
)
