"""Scripts, styles, icons and fonts, out of packages."""

from __future__ import annotations

import hashlib
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse, Response

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


class Assets:
    """The files in the folder `static` of packages; of two with one name the later package's."""

    def __init__(self, *packages: str) -> None:
        self._packages = packages

    @cached_property
    def contents(self) -> dict[str, bytes]:
        """All files, read once; nothing else can be asked for."""
        return {
            name: content
            for package in self._packages
            for name, content in _read(files(package) / "static", "")
        }

    @cached_property
    def mark(self) -> str:
        """It changes with any of the files, so that a browser may keep them for ever."""
        digest = hashlib.blake2b(digest_size=6)
        for name, content in sorted(self.contents.items()):
            digest.update(name.encode() + content)
        return digest.hexdigest()

    def answer(self, name: str) -> Response:
        """Send a file."""
        content = self.contents.get(name)
        kind = _TYPES.get(name[name.rfind(".") :])
        if content is None or kind is None:
            return PlainTextResponse("There is no such file.", 404)
        return Response(content, media_type=kind, headers={"Cache-Control": _YEAR})


def _read(folder: Traversable, above: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for each in folder.iterdir():
        name = above + each.name
        found += _read(each, f"{name}/") if each.is_dir() else [(name, each.read_bytes())]
    return found
