"""The script, the style and the fonts, out of the package."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from fastapi.responses import PlainTextResponse, Response

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}
_YEAR = "public, max-age=31536000, immutable"


@lru_cache(maxsize=1)
def contents() -> dict[str, bytes]:
    """Read all files, once in a process; nothing else can be asked for."""
    root = files("leasehold.web.dashboard") / "static"
    return dict(_read(root, ""))


def _read(folder: Traversable, above: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for each in folder.iterdir():
        name = above + each.name
        found += _read(each, f"{name}/") if each.is_dir() else [(name, each.read_bytes())]
    return found


@lru_cache(maxsize=1)
def mark() -> str:
    """Change with any of the files, so that a browser may keep them for ever."""
    digest = hashlib.blake2b(digest_size=6)
    for name, content in sorted(contents().items()):
        digest.update(name.encode() + content)
    return digest.hexdigest()


def answer_static(name: str) -> Response:
    """Send a file."""
    content = contents().get(name)
    kind = _TYPES.get(name[name.rfind(".") :])
    if content is None or kind is None:
        return PlainTextResponse("There is no such file.", 404)
    return Response(content, media_type=kind, headers={"Cache-Control": _YEAR})
