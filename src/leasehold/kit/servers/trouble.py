"""What goes wrong with the next requests, because somebody said so."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import msgspec

from leasehold.kit.servers.wire import Reply

ECHO = "echo"  # an error that repeats the credential
STUCK = "stuck_cursor"  # the page before is shown again
HUGE_BYTES = 21 * 1024 * 1024
_HTML = {"Content-Type": "text/html; charset=utf-8"}
_BAD_GATEWAY = b"<!doctype html><html><title>502</title><body>Bad gateway</body></html>"

# Instead of an answer.
REPLIES: dict[str, Reply] = {
    "html": Reply(status=502, body=_BAD_GATEWAY, headers=_HTML),
    "html_ok": Reply(body=_BAD_GATEWAY, headers=_HTML),
    "not_json": Reply(body=b"upstream connect error"),
    ECHO: Reply(status=400),
    "hangup": Reply(is_hung_up=True),
    "silence": Reply(is_silent=True),
}


def may_retry(status: int) -> bool:
    return status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR


class Trouble(msgspec.Struct, kw_only=True):
    """What happens to `times` requests whose path begins with `path`, after `skip` of them."""

    how: int | str
    times: int = 1
    path: str = ""
    skip: int = 0
    retry_after: float | None = None


class Troubles:
    """Those that are still to come, the first one said first."""

    def __init__(self, own: Callable[[str], Reply | None]) -> None:
        """`own` knows what this API alone can say."""
        self._own = own
        self._waiting: list[Trouble] = []

    def add(self, trouble: Trouble) -> None:
        known = (STUCK, *REPLIES, *SPOILED, *CUT)
        how = trouble.how
        if isinstance(how, str) and how not in known and self._own(how) is None:
            raise ValueError(f"unknown trouble {how!r}; it is a status or one of {known}")
        self._waiting.append(trouble)

    def next(self, path: str) -> Trouble | None:
        """Take what happens to a request of this path."""
        for trouble in self._waiting:
            if not path.startswith(trouble.path):
                continue
            if trouble.skip > 0:
                trouble.skip -= 1
                return None
            trouble.times -= 1
            if trouble.times <= 0:
                self._waiting.remove(trouble)
            return trouble
        return None


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """Where a page of an API has its items, and how it says that there are more."""

    items: tuple[str, ...]  # the first of these names that a page has
    more: Callable[[dict[str, Any]], None]


def spoil(reply: Reply, how: str, shape: Shape) -> Reply:
    """Make a good page a bad one."""
    if how in CUT:
        return CUT[how](reply)
    page = msgspec.json.decode(reply.body)
    name = next((name for name in shape.items if name in page), None)
    if reply.status != HTTPStatus.OK or name is None:
        return reply
    SPOILED[how](page, name, shape)
    return msgspec.structs.replace(reply, body=msgspec.json.encode(page))


def _without_items(page: dict[str, Any], name: str, shape: Shape) -> None:
    page[name] = []
    shape.more(page)


def _without_id(page: dict[str, Any], name: str, _shape: Shape) -> None:
    page[name][0].pop("id", None)


def _with_nul(page: dict[str, Any], name: str, _shape: Shape) -> None:
    page[name][0]["note"] = "before\x00after"


def _huge(reply: Reply) -> Reply:
    filler = b" " * (HUGE_BYTES - len(reply.body))
    return msgspec.structs.replace(reply, body=reply.body + filler)


def _truncated(reply: Reply) -> Reply:
    return msgspec.structs.replace(reply, body=reply.body[: len(reply.body) // 2])


def _drip(reply: Reply) -> Reply:
    return msgspec.structs.replace(reply, is_dripping=True)


def _cut(reply: Reply) -> Reply:
    return msgspec.structs.replace(reply, is_cut=True)


SPOILED: dict[str, Callable[[dict[str, Any], str, Shape], None]] = {
    "empty_page": _without_items,
    "no_id": _without_id,
    "nul": _with_nul,
}
CUT: dict[str, Callable[[Reply], Reply]] = {
    "truncated": _truncated,
    "cut": _cut,
    "drip": _drip,
    "huge": _huge,
}
