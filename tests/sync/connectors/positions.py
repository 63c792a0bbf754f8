"""Lists by offset and by page number, as many small services have them."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from leasehold.kit.servers import Refused
from leasehold.kit.servers.trouble import Shape
from leasehold.kit.servers.wire import Reply, Request
from leasehold_sync.servers.rows import Ids, Kind, Row
from leasehold_sync.servers.server import LocalServer

MOST = 100


def _record(row: Row) -> dict[str, Any]:
    return {"id": row.number, "created_at": row.created, "updated_at": row.updated}


class Numbers(Ids, frozen=True):
    """Rows that are named by their number."""

    def text(self, number: int) -> str:
        return str(number)

    def number(self, text: str) -> int | None:
        return int(text)


class PositionServer(LocalServer):
    """`GET /records?offset=&limit=` or `?page=&per_page=`, newest first."""

    name: ClassVar[str] = "positions"
    kinds = (Kind(name="records", ids=Numbers(), own=_record),)
    shape = Shape(items=("data",), more=lambda page: page.update(has_more=True))
    default_key = "position-key"

    def answer(self, request: Request) -> Reply:
        if request.headers.get("authorization") != f"Bearer {self.key}":
            raise Refused(self.problem(401))
        asked = {name: int(value) for name, value in request.query}
        match asked:
            case {"offset": offset, "limit": size, **rest} if not rest:
                pass
            case {"page": page, "per_page": size, **rest} if not rest and page > 0:
                offset = (page - 1) * size
            case _:
                raise Refused(self.problem(400))
        if not 0 < size <= MOST:
            raise Refused(self.problem(400))
        rows = self.rows["records"]
        numbers = list(rows.newest_first(1, rows.last))[offset : offset + size]
        return Reply(body=b'{"data":%b,"total":%d}' % (rows.page(numbers), len(rows)))

    def problem(self, status: int, retry_after: float | None = None) -> Reply:
        headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
        body = msgspec.json.encode({"error": {"code": f"error_{status}", "message": "no"}})
        return Reply(status=status, body=body, headers=headers)
