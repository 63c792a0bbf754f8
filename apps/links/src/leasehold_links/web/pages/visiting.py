"""One visit of a page: who comes, in which language, and what they want to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias
from urllib.parse import urlencode

from fastapi import Depends, Request
from starlette.responses import RedirectResponse

from leasehold_links.web.library import Library, get_library
from leasehold_links.web.people import Person, person_of
from leasehold_links.web.texts import Speaker, choose

if TYPE_CHECKING:
    from starlette.responses import Response

LANGUAGE_COOKIE = "links_language"
PICTURES_COOKIE = "links_pictures"
_MOUNTED = "/links"  # as the service does it: web/application.py


@dataclass(frozen=True)
class Visit:
    """What a page needs to know of a request."""

    request: Request
    person: Person
    library: Library

    @cached_property
    def say(self) -> Speaker:
        asked = self.request.cookies.get(LANGUAGE_COOKIE)
        return Speaker(choose(asked, self.request.headers.get("accept-language", "")))

    @property
    def root(self) -> str:
        root: str = self.request.scope.get("root_path", "")
        return root

    @property
    def dashboard(self) -> str | None:
        """Where the service's own pages are; None where the library stands in none."""
        is_inside = self.root.endswith(_MOUNTED)
        return f"{self.root.removesuffix(_MOUNTED)}/" if is_inside else None

    @property
    def pictures(self) -> str:
        """Which pictures of other sites to show: `https`, `all` or `none`."""
        is_off = self.request.cookies.get(PICTURES_COOKIE) == "off"
        return "none" if is_off else self.library.settings.pictures

    @property
    def path(self) -> str:
        """The page's path below the root."""
        path: str = self.request.scope["path"]
        return path.removeprefix(self.root)

    @property
    def address(self) -> str:
        """The page itself, to come back to, without what it said once."""
        query = [(n, v) for n, v in self.request.query_params.multi_items() if n not in _SAID]
        return self.link(self.path) + (f"?{urlencode(query)}" if query else "")

    def link(self, path: str, **query: object) -> str:
        """Return the address of a page of ours; what is None or empty is left out."""
        said = [(name, str(value)) for name, value in query.items() if value not in (None, "")]
        return self.root + path + (f"?{urlencode(said)}" if said else "")

    @property
    def said(self) -> str:
        """What an action before this page did, in a sentence."""
        key = f"said.{self.request.query_params.get('said', '')}"
        count = self.request.query_params.get("count", "")
        number = int(count) if count.isascii() and count.isdecimal() and len(count) < 10 else None  # noqa: PLR2004 - no link names more
        if number is not None and self.say.has(f"{key}.one"):
            return self.say.many(key, number)
        return self.say(key) if self.say.has(key) and number is None else ""

    def go(self, path: str, said: str = "", **query: Any) -> Response:
        """Lead to a page, which says what was done."""
        return RedirectResponse(self.link(path, said=said, **query), 303)


_SAID = frozenset({"said", "count"})


def visit_of(request: Request) -> Visit:
    return Visit(request, person_of(request), get_library(request))


OfVisit: TypeAlias = Annotated[Visit, Depends(visit_of)]
