"""What the three servers have in common: a tree, an account, and consent in a browser."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlencode

import msgspec

from leasehold.kit.servers import LocalServer, Refused, Reply, Request
from leasehold_documents.servers.accounts import CLIENT_ID, Accounts, Denied
from leasehold_documents.servers.controls import Controls
from leasehold_documents.servers.tree import Tree

OWNER = "Erika Mustermann"
ADDRESS = "erika@mustermann.example"
_MINUTE = 60


class FileServer(LocalServer, Controls):
    """An account full of files, from `with` to its end."""

    page_size: int  # the most that one page shows
    authorize_path: ClassVar[str]
    token_path: ClassVar[str]
    id_prefix: ClassVar[str]
    root_id: ClassVar[str]
    rotates: ClassVar[bool] = False
    renews: ClassVar[bool] = False

    def __init__(
        self, *, port: int = 0, page_size: int | None = None, token_seconds: int = 60 * _MINUTE
    ) -> None:
        super().__init__(port=port)
        self.page_size = page_size or self.page_size
        self.tree = Tree(self.id_prefix, self.root_id)
        self.accounts = Accounts(
            self.clock, seconds=token_seconds, rotates=self.rotates, renews=self.renews
        )

    def answer(self, request: Request) -> Reply:
        if request.path == self.authorize_path:
            return self._ask_for_consent(dict(request.query))
        if request.path == self.token_path:
            return self._give_tokens(dict(parse_qsl(request.body.decode("latin-1"))))
        return self.serve(request)

    def serve(self, request: Request) -> Reply:
        """Answer as the API would, behind its own check of the token."""
        raise NotImplementedError

    def check_token(self, request: Request, refuse: Callable[[str], Reply]) -> None:
        """Let nobody in whose token is not good; `refuse` says it as the API does."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        state = self.accounts.state_of(token) if scheme.lower() == "bearer" else "unknown"
        if state != "good":
            raise Refused(refuse(state))

    def _ask_for_consent(self, asked: dict[str, str]) -> Reply:
        """Say yes for the person at once, or no if that was said: no page, no password."""
        if asked.get("client_id") != CLIENT_ID or not asked.get("redirect_uri"):
            return Reply(status=400, body=b"this client is not known here", headers=_PLAIN)
        if self.accounts.says_no:
            self.accounts.says_no = False
            told = {"error": "access_denied", "error_description": "the person said no"}
        else:
            told = {"code": self.accounts.consent(asked)}
        told["state"] = asked.get("state", "")
        return Reply(status=302, headers={"Location": f"{asked['redirect_uri']}?{urlencode(told)}"})

    def _give_tokens(self, form: dict[str, str]) -> Reply:
        try:
            return Reply(body=msgspec.json.encode(self.accounts.answer(form)))
        except Denied as denied:
            said = {"error": denied.error, "error_description": denied.description}
            status = 401 if denied.error == "invalid_client" else 400
            return Reply(status=status, body=msgspec.json.encode(said))

    # -- controls ----------------------------------------------------------------------------------
    def do_put(self, path: str, content: str, more: dict[str, str]) -> str:
        return self.tree.put(path, base64.b64decode(content), self.clock.now(), more).id

    def do_add(self, path: str, content: str, more: dict[str, str]) -> str:
        return self.tree.add(path, base64.b64decode(content), self.clock.now(), more).id

    def do_rename(self, identifier: str, name: str) -> None:
        self.tree.rename(identifier, name, self.clock.now())

    def do_move(self, identifier: str, folder: str) -> None:
        self.tree.move(identifier, folder, self.clock.now())

    def do_delete(self, identifier: str) -> None:
        self.tree.delete(identifier, self.clock.now())

    def do_ids(self) -> dict[str, str]:
        nodes = self.tree.below(self.tree.root)
        return {node.id: self.tree.path_of(node) for node in nodes if not node.is_folder}

    def do_grant(self) -> dict[str, Any]:
        return self.accounts.grant()

    def do_revoke(self) -> None:
        self.accounts.revoke()

    def do_expire(self) -> None:
        self.accounts.expire()

    def do_deny(self) -> None:
        self.accounts.says_no = True


_PLAIN = {"Content-Type": "text/plain; charset=utf-8"}
