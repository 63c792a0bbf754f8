"""Google Drive: one folder at a time, papers of Google's own exported, shortcuts followed."""

from __future__ import annotations

from typing import Any, BinaryIO, ClassVar

from leasehold_documents.providers.errors import (
    ListingReset,
    ProviderFailed,
    RateLimited,
    RemoteMissing,
    RemoteRefused,
    TooLarge,
)
from leasehold_documents.providers.http import LONGEST_REST_SECONDS, Answer, Http
from leasehold_documents.providers.interface import FILE, FOLDER, Entry, Page
from leasehold_documents.providers.oauth import Endpoints
from leasehold_documents.providers.reading import member, objects, segment, text
from leasehold_documents.providers.refusing import usual_refusal

_OK = 200
_BAD = 400
_SIZE = 500
_GOOGLE = "application/vnd.google-apps."
_FOLDER = f"{_GOOGLE}folder"
_SHORTCUT = f"{_GOOGLE}shortcut"
_OFFICE = "application/vnd.openxmlformats-officedocument."
# What papers of Google's own become, and how they are then called.
_EXPORTS = {
    f"{_GOOGLE}document": (f"{_OFFICE}wordprocessingml.document", ".docx"),
    f"{_GOOGLE}spreadsheet": (f"{_OFFICE}spreadsheetml.sheet", ".xlsx"),
    f"{_GOOGLE}presentation": (f"{_OFFICE}presentationml.presentation", ".pptx"),
    f"{_GOOGLE}drawing": ("application/pdf", ".pdf"),
}
_MEMBERS = (
    "id,name,mimeType,size,md5Checksum,sha256Checksum,modifiedTime,parents,shortcutDetails,trashed"
)
_SHARED = {"supportsAllDrives": "true"}
_BUSY = frozenset({"userRateLimitExceeded", "rateLimitExceeded", "sharingRateLimitExceeded"})
_FULL = frozenset({"dailyLimitExceeded", "quotaExceeded", "downloadQuotaExceeded"})
_NEVER = frozenset({"fileNotDownloadable", "cannotDownloadFile", "fileNotExportable"})


class GoogleDrive:
    """Reads Google's third Drive API."""

    name: ClassVar[str] = "gdrive"
    is_recursive: ClassVar[bool] = False
    is_whole_drive: ClassVar[bool] = False

    def __init__(self, http: Http, endpoints: Endpoints) -> None:
        self._http = http
        self._files = f"{endpoints.api}/files"
        self._about = f"{endpoints.api}/about"

    def account(self) -> str:
        document = self._ask(self._about, {"fields": "user(displayName,emailAddress)"})
        return text(member(document, "user"), "emailAddress")

    def place(self, path: str) -> str:
        """Walk down the names; of folders with equal ones the first is taken."""
        entry = self._walk(path)
        if entry.kind != FOLDER:
            raise RemoteMissing
        return entry.id

    def page(self, place: str, cursor: str | None) -> Page:
        return self._list(f"'{_quoted(place)}' in parents and trashed = false", cursor)

    def browse(self, place: str, cursor: str | None) -> Page:
        return self.page(place, cursor)

    def look(self, identifier: str) -> Entry:
        if identifier.startswith("/"):
            return self._walk(identifier)
        url = f"{self._files}/{segment(identifier)}"
        found = self._ask(url, {"fields": _MEMBERS, **_SHARED})
        if found.get("trashed"):
            raise RemoteMissing
        return self._entry(found)

    def fetch(self, entry: Entry, into: BinaryIO, most_bytes: int) -> None:
        url = f"{self._files}/{segment(entry.id)}"
        asked = {"alt": "media", **_SHARED}
        if entry.export:
            url, asked = f"{url}/export", {"mimeType": entry.export}
        answer = self._http.save("GET", url, into, most_bytes, entry.digest, params=asked)
        if answer.status != _OK:
            raise _refusal(answer)

    def _walk(self, path: str) -> Entry:
        entry = Entry(id="root", name="", kind=FOLDER)
        for name in filter(None, path.split("/")):
            inside = f"'{_quoted(entry.id)}' in parents and trashed = false"
            found = self._list(f"{inside} and name = '{_quoted(name)}'", None)
            if not found.entries:
                raise RemoteMissing
            entry = found.entries[0]
        return entry

    def _list(self, query: str, cursor: str | None) -> Page:
        asked = {
            "q": query,
            "pageSize": str(_SIZE),
            "fields": f"nextPageToken,files({_MEMBERS})",
            "includeItemsFromAllDrives": "true",
            **_SHARED,
        }
        if cursor is not None:
            asked["pageToken"] = cursor
        document = self._ask(self._files, asked)
        entries = tuple(self._entry(each) for each in objects(document, "files"))
        following = document.get("nextPageToken")
        return Page(entries=entries, cursor=following if isinstance(following, str) else None)

    def _entry(self, found: dict[str, Any]) -> Entry:
        """Read a file; a shortcut is what it leads to, or refused when that is not there."""
        if found.get("mimeType") != _SHORTCUT:
            return _entry(found)
        try:
            target = self.look(text(member(found, "shortcutDetails"), "targetId"))
        except RemoteMissing:
            return Entry(id=text(found, "id"), name=text(found, "name"), refused="REMOTE_NOT_FOUND")
        return target

    def _ask(self, url: str, asked: dict[str, str]) -> dict[str, Any]:
        answer = self._http.ask("GET", url, params=asked)
        if answer.status != _OK:
            raise _refusal(answer)
        return answer.document()


def _entry(found: dict[str, Any]) -> Entry:
    kind = text(found, "mimeType")
    size = str(found.get("size") or "")
    export, ending = _EXPORTS.get(kind, ("", ""))
    is_googles = kind.startswith(_GOOGLE)
    name = text(found, "name")
    is_refused = is_googles and not export and kind != _FOLDER
    digest = _digest(found)
    return Entry(
        id=text(found, "id"),
        name=name if name.endswith(ending) else f"{name}{ending}",
        kind=FOLDER if kind == _FOLDER else FILE,
        revision=digest or str(found.get("modifiedTime") or ""),
        size=int(size) if size.isascii() and size.isdigit() else None,
        digest=digest,
        export=export,
        refused="REMOTE_NOT_DOWNLOADABLE" if is_refused else "",
    )


def _digest(found: dict[str, Any]) -> str:
    for name, algorithm in (("sha256Checksum", "sha256"), ("md5Checksum", "md5")):
        if isinstance(said := found.get(name), str) and said:
            return f"{algorithm}:{said}"
    return ""


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "\\'")


def _refusal(answer: Answer) -> ProviderFailed:
    """Read Google's reasons: a 403 may be a rate, a quota, or a file that nobody gets."""
    said = member(answer.complaint(), "error")
    reasons = {str(each.get("reason")) for each in said.get("errors") or [] if each}
    if reasons & _BUSY:
        return RateLimited(answer.rest_seconds())
    if reasons & _FULL:
        return RateLimited(LONGEST_REST_SECONDS)
    if "exportSizeLimitExceeded" in reasons:
        return TooLarge(10 * 1_048_576)
    if reasons & _NEVER:
        return RemoteRefused("REMOTE_NOT_DOWNLOADABLE", "Google Drive has no content of it")
    is_void = answer.status == _BAD and "invalid" in reasons
    return ListingReset("the page token is void") if is_void else usual_refusal(answer)
