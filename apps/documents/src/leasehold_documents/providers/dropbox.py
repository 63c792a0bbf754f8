"""Dropbox: a folder with all that is below it by one cursor, which may be reset."""

from __future__ import annotations

import json
from typing import Any, BinaryIO, ClassVar

from leasehold_documents.providers.errors import (
    BadAnswer,
    ListingReset,
    ProviderFailed,
    RemoteMissing,
    RemoteRefused,
)
from leasehold_documents.providers.http import Answer, Http
from leasehold_documents.providers.interface import FILE, FOLDER, GONE, Entry, Page
from leasehold_documents.providers.oauth import Endpoints
from leasehold_documents.providers.reading import objects, text
from leasehold_documents.providers.refusing import usual_refusal

_OK = 200
_CONFLICT = 409  # how Dropbox says that a request was understood, and refused
_LIMIT = 1_000
_KINDS = {"file": FILE, "folder": FOLDER, "deleted": GONE}
_HTML = "text/html"


class Dropbox:
    """Reads Dropbox's second API."""

    name: ClassVar[str] = "dropbox"
    is_recursive: ClassVar[bool] = True
    is_whole_drive: ClassVar[bool] = False

    def __init__(self, http: Http, endpoints: Endpoints) -> None:
        self._http = http
        self._endpoints = endpoints

    def account(self) -> str:
        document = self._ask("users/get_current_account", None)
        return text(document, "email")

    def place(self, path: str) -> str:
        """Return the path as Dropbox writes it: the root is no path at all."""
        path = "/" + path.strip("/")
        if path == "/":
            return ""
        entry = self.look(path)
        if entry.kind != FOLDER:
            raise RemoteMissing
        return entry.id

    def page(self, place: str, cursor: str | None) -> Page:
        found = self._list(place, cursor, recursive=True)
        files = (entry for entry in found.entries if entry.kind != FOLDER)
        return Page(entries=tuple(files), cursor=found.cursor)

    def browse(self, place: str, cursor: str | None) -> Page:
        return self._list(place, cursor, recursive=False)

    def look(self, identifier: str) -> Entry:
        return _entry(self._ask("files/get_metadata", {"path": identifier}))

    def fetch(self, entry: Entry, into: BinaryIO, most_bytes: int) -> None:
        verb = "export" if entry.export else "download"
        # Only ASCII may stand in a header: all else is written in numbers.
        said = json.dumps({"path": entry.id}, ensure_ascii=True).replace("\x7f", "\\u007f")
        answer = self._http.save(
            "POST",
            f"{self._endpoints.content}/files/{verb}",
            into,
            most_bytes,
            "" if entry.export else entry.digest,
            headers={"Dropbox-API-Arg": said},
        )
        if answer.status != _OK:
            raise _refusal(answer)

    def _list(self, place: str, cursor: str | None, *, recursive: bool) -> Page:
        if cursor is None:
            asked = {"path": place, "recursive": recursive, "limit": _LIMIT}
            document = self._ask("files/list_folder", asked)
        else:
            document = self._ask("files/list_folder/continue", {"cursor": cursor})
        entries = tuple(_entry(each) for each in objects(document, "entries"))
        is_more = bool(document.get("has_more"))
        return Page(entries=entries, cursor=text(document, "cursor") if is_more else None)

    def _ask(self, route: str, asked: dict[str, Any] | None) -> dict[str, Any]:
        url = f"{self._endpoints.api}/{route}"
        headers = {"Content-Type": "application/json"}
        answer = self._http.ask("POST", url, content=json.dumps(asked), headers=headers)
        if answer.status != _OK:
            raise _refusal(answer)
        return answer.document()


def _entry(found: dict[str, Any]) -> Entry:
    kind = _KINDS.get(str(found.get(".tag", "file")))
    if kind is None:
        raise BadAnswer("an entry of an unknown kind")
    path = str(found.get("path_display") or found.get("path_lower") or "")
    if kind == GONE:  # it is named by its path alone
        return Entry(id="", name=text(found, "name"), kind=GONE, path=path)
    is_paper = found.get("is_downloadable") is False
    size = found.get("size")
    name = text(found, "name")
    return Entry(
        id=text(found, "id"),
        name=f"{name.removesuffix('.paper')}.html" if is_paper else name,
        kind=kind,
        revision=str(found.get("content_hash") or found.get("rev") or ""),
        size=size if isinstance(size, int) else None,
        path=path,
        digest=f"dropbox:{found['content_hash']}" if found.get("content_hash") else "",
        export=_HTML if is_paper else "",
    )


def _refusal(answer: Answer) -> ProviderFailed:
    if answer.status != _CONFLICT:
        return usual_refusal(answer)
    summary = str(answer.complaint().get("error_summary", ""))
    if summary.startswith("reset"):
        return ListingReset("the cursor is void")
    if summary.startswith(("path/not_found", "path/not_folder")):
        return RemoteMissing()
    if summary.startswith(("unsupported_file", "non_exportable", "path/restricted_content")):
        return RemoteRefused("REMOTE_NOT_DOWNLOADABLE", "Dropbox gives it to nobody")
    return BadAnswer("Dropbox refuses the request")
