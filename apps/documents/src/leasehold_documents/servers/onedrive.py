"""A local Microsoft Graph with one drive: changes by delta, and downloads somewhere else."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any, ClassVar
from urllib.parse import quote

import msgspec

from leasehold.kit.servers import Refused, Reply, Request, Shape
from leasehold_documents.model.digests import digest_of
from leasehold_documents.servers.server import ADDRESS, OWNER, FileServer
from leasehold_documents.servers.tree import Node

_API = "/v1.0"
_DRIVE = f"{_API}/me/drive"
_DELTA = f"{_DRIVE}/root/delta"
_DOWNLOAD = "/personal/download/"
_DRIVE_ID = "b!localdrive"
_BUSY_SECONDS = 120
NOTEBOOK = "notebook"  # `put(…, kind=NOTEBOOK)`: a package, which has no content of its own


def _say_more(page: dict[str, Any]) -> None:
    page["@odata.nextLink"] = page.pop("@odata.deltaLink", page.get("@odata.nextLink"))


class GraphServer(FileServer):
    """OneDrive, as far as reading goes. Its refresh tokens are good once."""

    name: ClassVar[str] = "onedrive"
    shape = Shape(items=("value",), more=_say_more)
    authorize_path = "/common/oauth2/v2.0/authorize"
    token_path = "/common/oauth2/v2.0/token"  # noqa: S105  # nosec B105
    id_prefix = "01"
    root_id = "01ROOT"
    rotates = True
    renews = True
    page_size = 200

    def problem(self, status: int, retry_after: float | None = None) -> Reply:
        code, message = _WORDS.get(status, ("generalException", "Something went wrong."))
        seconds = _BUSY_SECONDS if retry_after is None else retry_after
        headers = {"Retry-After": str(math.ceil(seconds))} if status in {429, 503} else {}
        return _error(status, code, message, headers)

    def own_trouble(self, how: str) -> Reply | None:
        if how == "resync":
            location = {"Location": f"{self.url}{_DELTA}?token=resync"}
            return _error(410, "resyncRequired", "Resync required. Replace any state.", location)
        if how == "foreign_link":
            page = {"value": [], "@odata.nextLink": "http://203.0.113.9/v1.0/me/drive/root/delta"}
            return Reply(body=msgspec.json.encode(page))
        return None

    def serve(self, request: Request) -> Reply:
        if request.path.startswith(_DOWNLOAD):
            return self._download(request)
        self.check_token(request, _refuse_token)
        if request.method != "GET":
            raise Refused(_error(405, "methodNotAllowed", "Only reading is served here."))
        return Reply(body=msgspec.json.encode(self._read(request)))

    def _read(self, request: Request) -> dict[str, Any]:
        asked = dict(request.query)
        if request.path == f"{_API}/me":
            return {"id": "local", "displayName": OWNER, "userPrincipalName": ADDRESS}
        if request.path == _DELTA:
            return self._delta(asked)
        node, rest = self._find(request.path.removeprefix(_DRIVE))
        match rest:
            case "":
                return self._item(node, is_delta=False)
            case "children":
                return self._children(node, asked)
            case "content":
                self._redirect(node)
            case _:
                pass
        raise Refused(_error(400, "invalidRequest", "The request is malformed or incorrect."))

    def _find(self, path: str) -> tuple[Node, str]:
        """Return what a path names, by id or from the root, and what is asked of it."""
        node: Node | None = None
        rest = ""
        if path.startswith("/items/"):
            identifier, _, rest = path.removeprefix("/items/").partition("/")
            node = self.tree.nodes.get(identifier)
        elif path.startswith("/root:/"):
            name, _, rest = path.removeprefix("/root:").partition(":/")
            node = self.tree.find(name.removesuffix(":"))
        elif path == "/root" or path.startswith("/root/"):
            node, rest = self.tree.nodes[self.root_id], path.removeprefix("/root").lstrip("/")
        if node is None or node.is_deleted:
            raise Refused(self.problem(404))
        return node, rest

    def _delta(self, asked: dict[str, str]) -> dict[str, Any]:
        """Show what has changed; the last item of the page before comes once more, as it may."""
        said = asked.get("token", "0").removeprefix("resync") or "0"
        if not said.isdigit():
            raise Refused(self.own_trouble("resync") or self.problem(410))
        after = int(said)
        changed = self.tree.changes(after - 1 if after else 0)
        size = self.page_size + bool(after)
        shown = changed[:size]
        until = shown[-1].changed if shown else after
        link = f"{self.url}{_DELTA}?token={until}"
        which = "@odata.nextLink" if len(changed) > size else "@odata.deltaLink"
        is_first = after == 0
        items = [self._item(n, is_delta=True) for n in shown if not (is_first and n.is_deleted)]
        return {"value": items, which: link}

    def _children(self, node: Node, asked: dict[str, str]) -> dict[str, Any]:
        begin = int(asked.get("$skiptoken", "0"))
        found = sorted(self.tree.children(node.id), key=lambda each: each.name.lower())
        shown = found[begin : begin + self.page_size]
        page: dict[str, Any] = {"value": [self._item(each, is_delta=False) for each in shown]}
        if len(found) > begin + self.page_size:
            link = f"{self.url}{_DRIVE}/items/{node.id}/children"
            page["@odata.nextLink"] = f"{link}?$skiptoken={begin + self.page_size}"
        return page

    def _item(self, node: Node, *, is_delta: bool) -> dict[str, Any]:
        item: dict[str, Any] = {
            "id": node.id,
            "name": node.name or "root",
            "eTag": f'"{{{node.id}}},{node.changed}"',
            "size": len(node.content),
            "lastModifiedDateTime": datetime.fromtimestamp(int(node.modified), UTC).isoformat(),
            "parentReference": self._parent(node, is_delta=is_delta),
        }
        if node.is_deleted:
            return {**item, "deleted": {"state": "deleted"}}
        if node.parent is None:
            item["root"] = {}
        if node.is_folder:
            count = sum(1 for _ in self.tree.children(node.id))
            return {**item, "folder": {"childCount": count}}
        if node.more.get("kind") == NOTEBOOK:
            return {**item, "package": {"type": "oneNote"}}
        hashes = {"quickXorHash": digest_of("quickxor", node.content)}
        item["cTag"] = f'"c:{{{node.id}}},{node.revision}"'
        return {**item, "file": {"mimeType": "application/octet-stream", "hashes": hashes}}

    def _parent(self, node: Node, *, is_delta: bool) -> dict[str, Any]:
        """Say where it is; a delta never says the path, since renaming a folder tells nobody."""
        place: dict[str, Any] = {"driveId": _DRIVE_ID, "driveType": "personal"}
        if node.parent is not None:
            place["id"] = node.parent
            if not is_delta:
                above = self.tree.path_of(self.tree.nodes[node.parent])
                place["path"] = f"/drive/root:{quote(above)}"
        return place

    def _redirect(self, node: Node) -> None:
        if node.is_folder or node.more.get("kind") == NOTEBOOK:
            raise Refused(_error(400, "notSupported", "It has no content to download."))
        location = f"{self.url}{_DOWNLOAD}{node.id}?tempauth=v1.local"
        raise Refused(Reply(status=302, headers={"Location": location}))

    def _download(self, request: Request) -> Reply:
        """Serve a link that is its own credential: who brings another one is refused."""
        if "authorization" in request.headers or dict(request.query).get("tempauth") != "v1.local":
            return _error(401, "unauthenticated", "This link takes no other credential.")
        node = self.tree.nodes.get(request.path.removeprefix(_DOWNLOAD))
        if node is None or node.is_deleted:
            return self.problem(404)
        return Reply(body=node.content, headers={"Content-Type": "application/octet-stream"})


_WORDS = {
    401: ("InvalidAuthenticationToken", "Access token is empty or has expired."),
    403: ("accessDenied", "The caller doesn't have permission to perform the action."),
    404: ("itemNotFound", "Item not found"),
    429: ("activityLimitReached", "The app or user has been throttled."),
    503: ("serviceNotAvailable", "The service is not available. Try the request again later."),
}


def _refuse_token(state: str) -> Reply:
    words = "Lifetime validation failed, the token is expired." if state == "expired" else "Bad."
    return _error(401, "InvalidAuthenticationToken", words)


def _error(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Reply:
    said = {"error": {"code": code, "message": message, "innerError": {"request-id": "local"}}}
    return Reply(status=status, body=msgspec.json.encode(said), headers=headers or {})
