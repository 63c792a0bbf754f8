"""OneDrive by Microsoft Graph: the whole drive as changes, downloads at another address."""

from __future__ import annotations

from typing import Any, BinaryIO, ClassVar
from urllib.parse import quote

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
from leasehold_documents.providers.reading import member, objects, segment, text
from leasehold_documents.providers.refusing import usual_refusal

_OK = 200
_GONE = 410  # the delta's token is too old
_NEXT = "@odata.nextLink"
_HASHES = {"quickXorHash": "quickxor", "sha256Hash": "sha256", "sha1Hash": "sha1"}


class OneDrive:
    """Reads one person's drive.

    Only the root has a delta on every kind of drive, and it tells no paths: who wants a folder
    keeps what is below its id.
    """

    name: ClassVar[str] = "onedrive"
    is_recursive: ClassVar[bool] = True
    is_whole_drive: ClassVar[bool] = True

    def __init__(self, http: Http, endpoints: Endpoints) -> None:
        self._http = http
        self._api = endpoints.api
        self._drive = f"{endpoints.api}/me/drive"

    def account(self) -> str:
        document = self._ask(f"{self._api}/me")
        return text(document, "userPrincipalName")

    def place(self, path: str) -> str:
        entry = _entry(self._ask(self._address(f"/{path.strip('/')}")))
        if entry.kind != FOLDER:
            raise RemoteMissing
        return entry.id

    def page(self, place: str, cursor: str | None) -> Page:  # noqa: ARG002 - all of the drive
        return self._page(self._ask(cursor or f"{self._drive}/root/delta"))

    def browse(self, place: str, cursor: str | None) -> Page:
        first = f"{self._drive}/items/{segment(place)}/children"
        return self._page(self._ask(self._own(cursor) if cursor else first))

    def look(self, identifier: str) -> Entry:
        return _entry(self._ask(self._address(identifier)))

    def fetch(self, entry: Entry, into: BinaryIO, most_bytes: int) -> None:
        url = f"{self._drive}/items/{segment(entry.id)}/content"
        answer = self._http.save("GET", url, into, most_bytes, entry.digest)
        if answer.status != _OK:
            raise _refusal(answer)

    def _address(self, identifier: str) -> str:
        if identifier == "/":
            return f"{self._drive}/root"
        if identifier.startswith("/"):
            return f"{self._drive}/root:{quote(identifier)}:"
        return f"{self._drive}/items/{segment(identifier)}"

    def _page(self, document: dict[str, Any]) -> Page:
        entries = tuple(_entry(each) for each in objects(document, "value"))
        following = document.get(_NEXT)
        cursor = self._own(following) if isinstance(following, str) else None
        return Page(entries=entries, cursor=cursor)

    def _own(self, link: str) -> str:
        """Follow a link only to where the token belongs: pages of this drive."""
        if not link.startswith(f"{self._drive}/") or ".." in link:
            raise BadAnswer("the next page is said to be at another address")
        return link

    def _ask(self, url: str) -> dict[str, Any]:
        answer = self._http.ask("GET", url)
        if answer.status != _OK:
            raise _refusal(answer)
        return answer.document()


def _entry(found: dict[str, Any]) -> Entry:
    identifier = text(found, "id")
    if "deleted" in found:
        return Entry(id=identifier, name=str(found.get("name") or ""), kind=GONE)
    parent = member(found, "parentReference")
    file = member(found, "file")
    size = found.get("size")
    return Entry(
        id=identifier,
        name=text(found, "name"),
        kind=FOLDER if "folder" in found else FILE,
        revision=_revision(found, file),
        size=size if isinstance(size, int) else None,
        parent=str(parent.get("id") or ""),
        digest=_digest(file),
        refused="" if "folder" in found or "file" in found else "REMOTE_NOT_DOWNLOADABLE",
    )


def _revision(found: dict[str, Any], file: dict[str, Any]) -> str:
    """Name the content: its hash, else the tag that changes with the content alone."""
    return _digest(file) or str(found.get("cTag") or found.get("eTag") or "")


def _digest(file: dict[str, Any]) -> str:
    hashes = member(file, "hashes")
    for name, algorithm in _HASHES.items():
        if isinstance(said := hashes.get(name), str) and said:
            return f"{algorithm}:{said if algorithm == 'quickxor' else said.lower()}"
    return ""


def _refusal(answer: Answer) -> ProviderFailed:
    code = str(member(answer.complaint(), "error").get("code", ""))
    if answer.status == _GONE and code.startswith("resync"):
        return ListingReset("the token of the changes is void")
    if code in {"notSupported", "notAllowed"}:
        return RemoteRefused("REMOTE_NOT_DOWNLOADABLE", "OneDrive has no content of it")
    return usual_refusal(answer)
