"""One visit of a page: who comes, in which language, and where pages lead to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse

from leasehold.kit.web.people import Person, person_of

if TYPE_CHECKING:
    from fastapi import Request
    from starlette.responses import Response

    from leasehold.kit.web.languages import Speaker
    from leasehold.kit.web.pages import Pages

_YEAR_SECONDS = 365 * 86_400
_LONGEST_COUNT = 9  # digits: no link of ours names more


@dataclass(frozen=True)
class Visit:
    """What a page needs to know of a request. Paths begin where the application's pages do."""

    request: Request
    pages: Pages

    @cached_property
    def person(self) -> Person:
        return person_of(self.request)

    @cached_property
    def say(self) -> Speaker:
        asked = self.request.cookies.get(self.pages.language_cookie)
        return self.pages.languages.choose(asked, self.request.headers.get("accept-language", ""))

    @property
    def mounted(self) -> str:
        """Where the application is; its pages may begin below that."""
        root: str = self.request.scope.get("root_path", "")
        return root

    @property
    def root(self) -> str:
        return self.mounted + self.pages.at

    @property
    def dashboard(self) -> str | None:
        """Where the service's own pages are; None where the application stands in none."""
        ours = f"/{self.pages.name}"
        return f"{self.mounted.removesuffix(ours)}/" if self.mounted.endswith(ours) else None

    @property
    def image_sources(self) -> str:
        """Where pictures of pages may come from beside ourselves, as a policy names it."""
        return ""

    @property
    def path(self) -> str:
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
        is_count = count.isascii() and count.isdecimal() and len(count) <= _LONGEST_COUNT
        number = int(count) if is_count else None
        if number is not None and self.say.has(f"{key}.one"):
            return self.say.many(key, number)
        return self.say(key) if self.say.has(key) and number is None else ""

    def go(self, path: str, said: str = "", **query: Any) -> Response:
        """Lead to a page, which says what was done."""
        return RedirectResponse(self.link(path, said=said, **query), 303)

    def remember(self, name: str, value: str, back: str) -> Response:
        """Keep a choice in this browser alone, and lead back to the page where it was made."""
        response = self.go("/")
        if self.is_ours(back):
            response.headers["location"] = back
        self.keep(response, name, value)
        return response

    def keep(self, response: Response, name: str, value: str) -> None:
        """Keep a choice in this browser alone."""
        response.set_cookie(
            name,
            value,
            max_age=_YEAR_SECONDS,
            path=self.root or "/",
            httponly=True,
            samesite="strict",
            secure=self.request.url.scheme == "https",
        )

    def is_ours(self, back: str) -> bool:
        """Whether an address is a page of ours: `//elsewhere` would be another site."""
        inside = back.removeprefix(self.root)
        is_path = inside.startswith("/") and not inside.startswith(("//", "/\\"))
        return back.startswith(self.root) and is_path and back.isascii() and back.isprintable()


_SAID = frozenset({"said", "count"})
