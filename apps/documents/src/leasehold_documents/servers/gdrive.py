"""A local Google Drive: one folder at a time, equal names, shortcuts, and papers to export."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, ClassVar

import msgspec

from leasehold.kit.servers import Refused, Reply, Request, Shape, take
from leasehold_documents.model.digests import digest_of
from leasehold_documents.servers.gdrive_asking import Asked, error, read_fields, read_query, refuse
from leasehold_documents.servers.server import ADDRESS, OWNER, FileServer
from leasehold_documents.servers.tree import Node

_API = "/drive/v3/"
_GOOGLE = "application/vnd.google-apps."
FOLDER = f"{_GOOGLE}folder"
SHORTCUT = f"{_GOOGLE}shortcut"
DOCUMENT = f"{_GOOGLE}document"
SPREADSHEET = f"{_GOOGLE}spreadsheet"
FORM = f"{_GOOGLE}form"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_EXPORTS = {
    DOCUMENT: {f"{_OFFICE}wordprocessingml.document", "application/pdf", "text/plain"},
    SPREADSHEET: {f"{_OFFICE}spreadsheetml.sheet", "application/pdf", "text/csv"},
    f"{_GOOGLE}presentation": {f"{_OFFICE}presentationml.presentation", "application/pdf"},
    f"{_GOOGLE}drawing": {"application/pdf", "image/png"},
}
_MOST = 1_000
_USUAL = 100
_EXPORT_BYTES = 10 * 1_048_576
_ID = re.compile(r"files/([^/]+)(/export)?")


def _say_more(page: dict[str, Any]) -> None:
    page.setdefault("nextPageToken", "~again")


class DriveServer(FileServer):
    """Google Drive, as far as reading goes. `put(…, kind=DOCUMENT)` is a paper of Google's own.

    `put(…, kind=SHORTCUT, target=id)` is a shortcut.
    """

    name: ClassVar[str] = "gdrive"
    shape = Shape(items=("files",), more=_say_more)
    authorize_path = "/o/oauth2/v2/auth"
    token_path = "/token"  # noqa: S105  # nosec B105
    id_prefix = "1"
    root_id = "0ALocalRoot"
    page_size = _MOST

    def problem(self, status: int, retry_after: float | None = None) -> Reply:  # noqa: ARG002
        """Google says nowhere how long to wait."""
        match status:
            case 429:
                return error(429, "rateLimitExceeded", "Rate Limit Exceeded", "usageLimits")
            case 401:
                return _refuse_token("unknown")
            case 404:
                return error(404, "notFound", "File not found.")
            case _:
                return error(status, "backendError", "Backend Error")

    def too_many(self, wait: float) -> Reply:  # noqa: ARG002 - as above
        """Let a used-up window be the 403 that it is here, as often as not."""
        return _limit("userRateLimitExceeded")

    def own_trouble(self, how: str) -> Reply | None:
        if how == "voidPageToken":
            return error(400, "invalid", "Invalid Value")
        return _limit(how) if how in {"userRateLimitExceeded", "dailyLimitExceeded"} else None

    def serve(self, request: Request) -> Reply:
        self.check_token(request, _refuse_token)
        route = request.path.removeprefix(_API)
        if request.method != "GET" or not request.path.startswith(_API):
            raise Refused(error(404, "notFound", "Not Found"))
        asked = dict(request.query)
        if route == "about":
            return self._about(asked)
        if route == "files":
            return self._list(Asked.read(asked, self.page_size))
        if (one := _ID.fullmatch(route)) is None:
            raise Refused(error(404, "notFound", "Not Found"))
        node = self._find(one[1])
        if one[2]:
            return self._export(node, asked.get("mimeType", ""))
        if asked.get("alt") == "media":
            return self._media(node)
        return _json(read_fields(asked.get("fields"), _BRIEF)(self._resource(node)))

    def _about(self, asked: dict[str, str]) -> Reply:
        if "fields" not in asked:
            words = "The 'fields' parameter is required for this method."
            raise Refused(error(400, "required", words))
        user = {"kind": "drive#user", "displayName": OWNER, "emailAddress": ADDRESS, "me": True}
        return _json({"kind": "drive#about", "user": user})

    def _list(self, asked: Asked) -> Reply:
        wanted = read_query(asked.query, self.root_id)
        nodes = sorted(self.tree.nodes.values(), key=lambda node: node.id)
        fitting = (n for n in nodes if n.id > asked.after and n.parent and self._fits(n, wanted))
        shown, is_more = take(fitting, asked.size)
        page: dict[str, Any] = {"kind": "drive#fileList", "incompleteSearch": False}
        page["files"] = [asked.project(self._resource(node)) for node in shown]
        if is_more:
            page["nextPageToken"] = asked.token(shown[-1].id)
        return _json(page)

    def _fits(self, node: Node, wanted: dict[str, Any]) -> bool:
        if wanted.get("trashed") is not None and node.is_deleted != wanted["trashed"]:
            return False
        if "name" in wanted and node.name != wanted["name"]:
            return False
        return "parent" not in wanted or node.parent == wanted["parent"]

    def _find(self, identifier: str) -> Node:
        node = self.tree.nodes.get(self.root_id if identifier == "root" else identifier)
        if node is None:  # what was deleted lies in the bin, where it can be looked at
            raise Refused(error(404, "notFound", f"File not found: {identifier[:60]}."))
        return node

    def _resource(self, node: Node) -> dict[str, Any]:
        kind = FOLDER if node.is_folder else node.more.get("kind", "application/octet-stream")
        found: dict[str, Any] = {
            "kind": "drive#file",
            "id": node.id,
            "name": node.name or "Meine Ablage",
            "mimeType": kind,
            "parents": [node.parent] if node.parent else [],
            "trashed": node.is_deleted,
            "version": str(node.changed),
            "modifiedTime": _moment(node.modified),
        }
        if kind == SHORTCUT:
            target = self.tree.nodes[node.more["target"]]
            found["shortcutDetails"] = {
                "targetId": target.id,
                "targetMimeType": self._resource(target)["mimeType"],
            }
        elif not kind.startswith(_GOOGLE):
            found["size"] = str(len(node.content))
            found["md5Checksum"] = digest_of("md5", node.content)
            found["sha256Checksum"] = digest_of("sha256", node.content)
            found["headRevisionId"] = f"0B{node.revision:030x}"
        return found

    def _media(self, node: Node) -> Reply:
        if node.is_deleted:
            refuse(404, "notFound", "File not found.")
        if self._resource(node)["mimeType"].startswith(_GOOGLE):
            words = "Only files with binary content can be downloaded. Use Export instead."
            refuse(403, "fileNotDownloadable", words)
        return _content(node.content, "application/octet-stream")

    def _export(self, node: Node, kind: str) -> Reply:
        offered = _EXPORTS.get(node.more.get("kind", ""))
        if offered is None:
            refuse(403, "fileNotExportable", "Export only supports Docs Editors files.")
        if kind not in offered:
            refuse(400, "badRequest", "The requested conversion is not supported.")
        if len(node.content) > _EXPORT_BYTES:
            refuse(403, "exportSizeLimitExceeded", "This file is too large to be exported.")
        return _content(node.content, kind)


_BRIEF = ("kind", "id", "name", "mimeType")


def _limit(reason: str) -> Reply:
    return error(403, reason, "User Rate Limit Exceeded", "usageLimits")


def _refuse_token(_state: str) -> Reply:
    headers = {"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/"'}
    return error(401, "authError", "Invalid Credentials", headers=headers)


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _json(said: dict[str, Any]) -> Reply:
    headers = {"Content-Type": "application/json; charset=UTF-8"}
    return Reply(body=msgspec.json.encode(said), headers=headers)


def _content(content: bytes, kind: str) -> Reply:
    return Reply(body=content, headers={"Content-Type": kind})
