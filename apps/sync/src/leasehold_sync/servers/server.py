"""What all local servers have in common: rows, beside what every server of the kit has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from leasehold.kit.servers import server
from leasehold_sync.servers.controls import Controls
from leasehold_sync.servers.rows import SPACING_SECONDS, Kind, Rows


class LocalServer(server.LocalServer, Controls):
    """An API on this machine, from `with` to its end. Its collections are named by `kinds`."""

    kinds: tuple[Kind, ...]
    default_key: ClassVar[str]

    def __init__(
        self,
        *,
        rows: Mapping[str, int] | None = None,
        spacing: int = SPACING_SECONDS,
        port: int = 0,
        key: str | None = None,
    ) -> None:
        self.key = key or self.default_key
        counts = dict(rows or {})
        self.rows = {
            kind.name: Rows(kind, counts.pop(kind.name, 0), spacing) for kind in self.kinds
        }
        if counts:
            known = ", ".join(self.rows)
            raise ValueError(f"{self.name} has no {', '.join(counts)}; it has {known}")
        super().__init__(port=port)

    def do_insert(self, collection: str, count: int, fields: dict[str, Any]) -> list[str]:
        rows, now = self.rows[collection], int(self.clock.now())
        numbers = [rows.insert(now, fields) for _ in range(count)]
        return [rows.kind.ids.text(number) for number in numbers]

    def do_update(self, collection: str, identifier: str, fields: dict[str, Any]) -> None:
        rows = self.rows[collection]
        rows.update(self._known(rows, identifier), int(self.clock.now()), fields)

    def do_delete(self, collection: str, identifiers: list[str]) -> None:
        rows = self.rows[collection]
        for identifier in identifiers:
            rows.delete(self._known(rows, identifier))

    def do_ids(self, collection: str) -> list[str]:
        rows = self.rows[collection]
        return [rows.kind.ids.text(number) for number in rows.oldest_first(1, rows.last)]

    def do_get(self, collection: str, identifier: str) -> dict[str, Any]:
        rows = self.rows[collection]
        return rows.get(self._known(rows, identifier))

    @staticmethod
    def _known(rows: Rows, identifier: str) -> int:
        number = rows.find(identifier)
        if number is None:
            raise ValueError(f"{rows.kind.name} has no {identifier!r}")
        return number
