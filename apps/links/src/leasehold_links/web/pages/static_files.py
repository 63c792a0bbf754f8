"""The script, the style and the icon, out of the package."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

router = APIRouter(include_in_schema=False)
_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_YEAR = "public, max-age=31536000, immutable"


@lru_cache(maxsize=1)
def contents() -> dict[str, bytes]:
    """Read all files, once in a process; nothing else can be asked for."""
    folder = files("leasehold_links.web") / "static"
    return {each.name: each.read_bytes() for each in folder.iterdir()}


@lru_cache(maxsize=1)
def mark() -> str:
    """Change with any of the files, so that a browser may keep them for ever."""
    digest = hashlib.blake2b(digest_size=6)
    for name, content in sorted(contents().items()):
        digest.update(name.encode() + content)
    return digest.hexdigest()


@router.get("/static/{name}")
def get_static(name: str) -> Response:
    """Send a file."""
    content = contents().get(name)
    kind = _TYPES.get(name[name.rfind(".") :])
    if content is None or kind is None:
        return PlainTextResponse("404", 404)
    return Response(content, media_type=kind, headers={"Cache-Control": _YEAR})
