"""What tests and the demo say to a local server of files, wherever it runs."""

from __future__ import annotations

import base64
from typing import Any

from leasehold.kit.servers import controls


class Controls(controls.Controls):
    """What is said to any server, and what becomes of files and of tokens."""

    def put(self, path: str, content: bytes, **more: str) -> str:
        """Write a file at `/Folder/Name.pdf`, with the folders it needs; returns its id.

        A file that is there already gets a new revision. `more` is what one server alone has.
        """
        sent = base64.b64encode(content).decode()
        made: str = self.do("put", path=path, content=sent, more=more)
        return made

    def add(self, path: str, content: bytes, **more: str) -> str:
        """Do the same beside a file that has the name already, where the API has equal names."""
        sent = base64.b64encode(content).decode()
        made: str = self.do("add", path=path, content=sent, more=more)
        return made

    def rename(self, identifier: str, name: str) -> None:
        self.do("rename", identifier=identifier, name=name)

    def move(self, identifier: str, folder: str) -> None:
        """Put a file or a folder into another folder, named by its path."""
        self.do("move", identifier=identifier, folder=folder)

    def delete(self, identifier: str) -> None:
        self.do("delete", identifier=identifier)

    def ids(self) -> dict[str, str]:
        """Return the path of each file by its id."""
        found: dict[str, str] = self.do("ids")
        return found

    def grant(self) -> dict[str, Any]:
        """Give tokens away without asking anybody, as the token endpoint would write them."""
        made: dict[str, Any] = self.do("grant")
        return made

    def revoke(self) -> None:
        """Let no token be good any more, as when the person takes the consent back."""
        self.do("revoke")

    def expire(self) -> None:
        """Let all access tokens be too old; refresh tokens stay good."""
        self.do("expire")

    def deny(self) -> None:
        """Let the person say no the next time somebody asks for consent."""
        self.do("deny")
