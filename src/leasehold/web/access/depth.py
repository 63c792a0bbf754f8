"""No JSON is nested so deeply that reading it would take the stack, or what is behind it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from fastapi import Request

DEPTH_LIMIT = 128  # arguments may have a hundred levels, and stand in a few of ours
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


async def refuse_depth(request: Request) -> None:
    """Answer 400 for a body that is nested too deeply."""
    if request.method in {"GET", "HEAD", "OPTIONS"}:
        return
    if is_too_deep(await request.body()):
        raise HTTPException(400, f"the body is nested deeper than {DEPTH_LIMIT} levels")


def is_too_deep(body: bytes, limit: int = DEPTH_LIMIT) -> bool:
    """Whether JSON has more open brackets at once than this; nothing is parsed for it."""
    if body.count(b"[") + body.count(b"{") <= limit:
        return False
    depth = 0
    for found in _TOKENS.finditer(body):
        token = found.group()
        if token in {b"[", b"{"}:
            depth += 1
            if depth > limit:
                return True
        elif token in {b"]", b"}"}:
            depth -= 1
    return False
