"""What tests and the demo say to a local server, wherever it runs."""

from __future__ import annotations

from typing import Any

from leasehold.kit.servers import controls


class Controls(controls.Controls):
    """What is said to any server, and what becomes of rows."""

    def insert(self, collection: str, count: int = 1, **fields: Any) -> list[str]:
        """Create rows now; returns their ids, the oldest first."""
        ids: list[str] = self.do("insert", collection=collection, count=count, fields=fields)
        return ids

    def update(self, collection: str, identifier: str, **fields: Any) -> None:
        """Change a row now: these fields of it become these values."""
        self.do("update", collection=collection, identifier=identifier, fields=fields)

    def delete(self, collection: str, *identifiers: str) -> None:
        self.do("delete", collection=collection, identifiers=list(identifiers))

    def ids(self, collection: str) -> list[str]:
        """Return those that are there, the oldest first."""
        ids: list[str] = self.do("ids", collection=collection)
        return ids

    def get(self, collection: str, identifier: str) -> dict[str, Any]:
        """Return a row as the API shows it."""
        row: dict[str, Any] = self.do("get", collection=collection, identifier=identifier)
        return row
