"""A local Dropbox: folders read by cursor, downloads by a header, and its own way to say no."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any, ClassVar, NoReturn

import msgspec

from leasehold.kit.servers import Refused, Reply, Request, Shape
from leasehold_documents.model.digests import digest_of
from leasehold_documents.servers.server import ADDRESS, OWNER, FileServer
from leasehold_documents.servers.tree import Node

_ROOT = "/2/"
_JSON = "application/json"
_PLAIN = {"Content-Type": "text/plain; charset=utf-8"}
_MOST = 2_000
_BUSY_SECONDS = 300
PAPER = "paper"  # `put(…, kind=PAPER)`: a document that has to be exported


def _say_more(page: dict[str, Any]) -> None:
    page["has_more"] = True


class Cursor(msgspec.Struct, frozen=True):
    """How far a listing is: only changes after a number, of what is below a folder."""

    folder: str
    is_recursive: bool
    after: int
    limit: int
    first_until: int  # up to this change it is the first listing, which shows nothing deleted


class DropboxServer(FileServer):
    """Dropbox, as far as reading goes. Writing is done by the controls."""

    name: ClassVar[str] = "dropbox"
    shape = Shape(items=("entries",), more=_say_more)
    authorize_path = "/oauth2/authorize"
    token_path = "/oauth2/token"  # noqa: S105  # nosec B105
    id_prefix = "id:"
    root_id = "id:root"
    page_size = _MOST

    def problem(self, status: int, retry_after: float | None = None) -> Reply:
        match status:
            case 429:
                seconds = math.ceil(_BUSY_SECONDS if retry_after is None else retry_after)
                said = {"reason": {".tag": "too_many_requests"}, "retry_after": seconds}
                return _error(429, "too_many_requests/..", said, {"Retry-After": str(seconds)})
            case 401:
                return _error(401, "invalid_access_token/.", {".tag": "invalid_access_token"})
            case 409:
                return _error(409, "path/not_found/..", _path("not_found"))
            case _:
                return Reply(status=status, body=b"something went wrong", headers=_PLAIN)

    def own_trouble(self, how: str) -> Reply | None:
        if how == "reset":
            return _error(409, "reset/...", {".tag": "reset"})
        return None

    def serve(self, request: Request) -> Reply:
        self.check_token(request, _refuse_token)
        route = request.path.removeprefix(_ROOT)
        if request.method != "POST" or not request.path.startswith(_ROOT):
            raise Refused(Reply(status=404, body=b"Not found", headers=_PLAIN))
        match route:
            case "users/get_current_account":
                return _json(_ACCOUNT)
            case "files/list_folder":
                return self._list(_arguments(request, route))
            case "files/list_folder/continue":
                return self._go_on(_arguments(request, route))
            case "files/get_metadata":
                path = str(_arguments(request, route).get("path", ""))
                return _json(self._metadata(self._find(path)))
            case "files/download":
                return self._download(_header_arguments(request, route))
            case "files/export":
                return self._export(_header_arguments(request, route))
            case _:
                raise Refused(Reply(status=404, body=b"Unknown API function", headers=_PLAIN))

    def _list(self, asked: dict[str, Any]) -> Reply:
        path = asked.get("path", "")
        if path == "/":
            _bad("files/list_folder", 'path: Specify the root folder as an empty string, not "/"')
        folder = self._find(path)
        if not folder.is_folder:
            raise Refused(_error(409, "path/not_folder/.", _path("not_folder")))
        limit = min(int(asked.get("limit") or _MOST), self.page_size)
        newest = max(node.changed for node in self.tree.nodes.values())
        is_recursive = bool(asked.get("recursive"))
        return self._page(Cursor(folder.id, is_recursive, 0, limit, newest))

    def _go_on(self, asked: dict[str, Any]) -> Reply:
        try:
            cursor = msgspec.json.decode(bytes.fromhex(str(asked["cursor"])), type=Cursor)
        except (KeyError, ValueError, msgspec.MsgspecError):
            _bad("files/list_folder/continue", 'cursor: Invalid "cursor" parameter')
        return self._page(cursor)

    def _page(self, cursor: Cursor) -> Reply:
        changed = [n for n in self.tree.changes(cursor.after) if self._is_shown(n, cursor)]
        shown, has_more = changed[: cursor.limit], len(changed) > cursor.limit
        after = shown[-1].changed if shown else cursor.after
        following = msgspec.structs.replace(cursor, after=after)
        entries = [self._metadata(node) for node in shown]
        said = msgspec.json.encode(following).hex()
        return _json({"entries": entries, "cursor": said, "has_more": has_more})

    def _is_shown(self, node: Node, cursor: Cursor) -> bool:
        if node.is_deleted and node.changed <= cursor.first_until:
            return False
        if cursor.is_recursive:
            return self.tree.is_below(node, cursor.folder)
        return node.parent == cursor.folder

    def _find(self, path: str) -> Node:
        if path.startswith("id:"):
            found = self.tree.nodes.get(path)
            found = None if found is None or found.is_deleted else found
        elif path and not path.startswith("/"):
            _bad("files", f"path: {path[:40]!r} did not match pattern")
        else:
            found = self.tree.find(path)
        if found is None:
            raise Refused(self.problem(409))
        return found

    def _metadata(self, node: Node) -> dict[str, Any]:
        path = self.tree.path_of(node)
        named = {"name": node.name, "path_lower": path.lower(), "path_display": path}
        if node.is_deleted:
            return {".tag": "deleted", **named}
        if node.is_folder:
            return {".tag": "folder", **named, "id": node.id}
        moment = datetime.fromtimestamp(int(node.modified), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        metadata = {
            ".tag": "file",
            **named,
            "id": node.id,
            "client_modified": moment,
            "server_modified": moment,
            "rev": f"0{node.changed:015x}",  # another one for another name, too
            "size": len(node.content),
            "is_downloadable": not _is_paper(node),
            "content_hash": digest_of("dropbox", node.content),
        }
        if _is_paper(node):
            metadata["export_info"] = {"export_as": "html"}
        return metadata

    def _download(self, asked: dict[str, Any]) -> Reply:
        node = self._find(str(asked.get("path", "")))
        if node.is_folder or _is_paper(node):
            raise Refused(_error(409, "unsupported_file/.", {".tag": "unsupported_file"}))
        return _content(node.content, self._metadata(node))

    def _export(self, asked: dict[str, Any]) -> Reply:
        node = self._find(str(asked.get("path", "")))
        if not _is_paper(node):
            raise Refused(_error(409, "non_exportable/.", {".tag": "non_exportable"}))
        name = f"{node.name.removesuffix('.paper')}.html"
        exported = {"name": name, "size": len(node.content), "paper_revision": node.revision}
        told = {"export_metadata": exported, "file_metadata": self._metadata(node)}
        return _content(node.content, told)


def _arguments(request: Request, route: str) -> dict[str, Any]:
    if not request.headers.get("content-type", "").startswith(_JSON):
        _bad(route, f"HTTP header: You provided a Content-Type that is not {_JSON}")
    return _decode(request.body, route)


def _header_arguments(request: Request, route: str) -> dict[str, Any]:
    """Read what stands in a header, where only ASCII may stand."""
    kind = request.headers.get("content-type", "")
    if kind.startswith((_JSON, "application/x-www-form-urlencoded")):
        _bad(route, 'Bad HTTP "Content-Type" header: expecting one of "application/octet-stream"')
    said = request.headers.get("dropbox-api-arg", "")
    if not said.isascii():
        _bad(route, 'HTTP header "Dropbox-API-Arg": could not decode input as JSON')
    return _decode(said.encode(), route)


def _decode(said: bytes, route: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(said, type=dict[str, Any])
    except msgspec.MsgspecError:
        _bad(route, "request body: could not decode input as JSON")


def _bad(route: str, why: str) -> NoReturn:
    said = f'Error in call to API function "{route}": {why}'
    raise Refused(Reply(status=400, body=said.encode(), headers=_PLAIN))


def _error(
    status: int, summary: str, error: dict[str, Any], headers: dict[str, str] | None = None
) -> Reply:
    said = {"error_summary": summary, "error": error}
    return Reply(status=status, body=msgspec.json.encode(said), headers=headers or {})


def _path(tag: str) -> dict[str, Any]:
    return {".tag": "path", "path": {".tag": tag}}


def _refuse_token(state: str) -> Reply:
    tag = "expired_access_token" if state == "expired" else "invalid_access_token"
    return _error(401, f"{tag}/...", {".tag": tag})


def _is_paper(node: Node) -> bool:
    return node.more.get("kind") == PAPER


def _json(said: dict[str, Any]) -> Reply:
    return Reply(body=msgspec.json.encode(said))


def _content(content: bytes, metadata: dict[str, Any]) -> Reply:
    told = json.dumps({name: value for name, value in metadata.items() if name != ".tag"})
    kind = "application/octet-stream"
    return Reply(body=content, headers={"Content-Type": kind, "Dropbox-API-Result": told})


_ACCOUNT = {
    "account_id": "dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc",
    "name": {
        "given_name": "Erika",
        "surname": "Mustermann",
        "familiar_name": "Erika",
        "display_name": OWNER,
        "abbreviated_name": "EM",
    },
    "email": ADDRESS,
    "email_verified": True,
    "disabled": False,
    "locale": "de",
    "referral_link": "https://www.dropbox.com/referrals/local",
    "is_paired": False,
    "account_type": {".tag": "basic"},
    "root_info": {".tag": "user", "root_namespace_id": "1", "home_namespace_id": "1"},
    "country": "DE",
}
