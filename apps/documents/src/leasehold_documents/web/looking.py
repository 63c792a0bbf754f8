"""What a stream tells is looked at as the person who follows it, for as long as they may."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.kit.web import EventStream, Seen
from leasehold_documents.errors import Forbidden
from leasehold_documents.web.people import caller_of

if TYPE_CHECKING:
    from fastapi import Request
    from sqlalchemy import Connection
    from starlette.responses import Response

    from leasehold_documents.access import Access
    from leasehold_documents.web.hub import Hub

Look = Callable[["Connection"], tuple[Any, bool]]


def follow(
    request: Request, hub: Hub, access: Access, named: tuple[str, str], look: Look
) -> Response:
    """Send what `look` sees after each change; it says whether that is the last.

    `named` are its topic, which all who follow the same share, and the name of its events. It ends
    when the token does, or the membership.
    """
    until = caller_of(request).until
    topic, event = named

    def see() -> Seen:
        if until is not None and time.time() >= until:
            return Seen(b"null", is_last=True)
        try:
            with access.browse() as connection:
                seen, is_last = look(connection)
        except Forbidden:
            return Seen(b"null", is_last=True)
        return Seen(msgspec.json.encode(seen), is_last=is_last)

    name = f"{topic} {access.tenant_id} {access.user_id} {until}"
    return EventStream(hub.following.follow(name, see), event)
