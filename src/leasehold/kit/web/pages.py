"""The pages of an application: its templates, what stands around them, and what they are made with.

Whatever strangers wrote is text: cut, without what hides or turns. No page runs a script, or shows
a picture, of anybody else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Query, Request, Response
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from leasehold.kit.web.languages import Languages
from leasehold.kit.web.visiting import Visit
from leasehold.kit.web.writing import FILTERS, moment
from leasehold.web import Problem
from leasehold.web.answering import path_of
from leasehold.web.assets import Assets

_OURS = "leasehold.kit.web"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:{pictures}; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_FOR_PROGRAMS = "/api/"


class Place(NamedTuple):
    """A page that the head of all pages leads to."""

    path: str
    text: str  # the key of its name
    is_for_tenants: bool = True


class Pages:
    """The pages of a package that has folders `templates` and `static`.

    `name` is the application's, `at` where pages begin below it: "" where all but `/api/` is pages.
    Templates extend `kit/page.html`; `base.html`, if there is one, stands around problems, too.
    """

    def __init__(
        self,
        package: str,
        *,
        name: str,
        languages: Languages,
        places: Sequence[Place] = (),
        at: str = "",
        make_visit: Callable[[Request, Pages], Visit] = Visit,
        filters: Mapping[str, Callable[..., Any]] | None = None,
    ) -> None:
        self.name = name
        self.at = at
        self.languages = languages
        self.language_cookie = f"{name}_language"
        self.assets = Assets(_OURS, package)
        self._package = package
        self._places = places
        self._make_visit = make_visit
        self._filters = FILTERS | dict(filters or {})

    @cached_property
    def environment(self) -> Environment:
        """The templates, loaded once in a process."""
        made = Environment(
            loader=ChoiceLoader([PackageLoader(self._package), PackageLoader(_OURS)]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        made.filters |= self._filters
        return made

    @cached_property
    def router(self) -> APIRouter:
        """What every application's pages need beside them: files, and a choice of languages."""
        router = APIRouter(prefix=self.at, include_in_schema=False)
        router.add_api_route("/static/{name:path}", self.assets.answer, methods=["GET"])
        if self.languages.names:
            router.add_api_route("/language", self.choose_language, methods=["GET"])
        return router

    def visit(self, request: Request) -> Visit:
        return self._make_visit(request, self)

    def render(
        self, visit: Visit, template: str, *, status: int = 200, **values: Any
    ) -> HTMLResponse:
        """Write a whole page."""
        known = {
            "visit": visit,
            "person": visit.person,
            "say": visit.say,
            "link": visit.link,
            "asset": lambda name: f"{visit.root}/static/{name}?{self.assets.mark}",
            "moment": partial(moment, visit.say),
            "languages": self.languages.names,
            "places": self._places_of(visit),
        }
        body = self.environment.get_template(template).render(known | values)
        headers = {
            "Content-Security-Policy": _POLICY.format(pictures=visit.image_sources),
            "Content-Language": visit.say.language,
            "Vary": "Accept-Language, Cookie",
        }
        return HTMLResponse(body, status, headers=headers)

    def find_problem_page(self, request: Request) -> Callable[[Request, Problem], Response] | None:
        """Return what shows a problem to a person; None where programs ask."""
        path = path_of(request)
        is_page = f"{path}/".startswith(f"{self.at}/") and not path.startswith(_FOR_PROGRAMS)
        return self.show_problem if is_page else None

    def show_problem(self, request: Request, problem: Problem) -> Response:
        """Say it in the reader's language, as exactly as there are words for it."""
        visit = self.visit(request)
        say, name = visit.say, problem.type.rpartition(":")[2]
        status = f"problem.{problem.status}"
        text = say.known(f"problem.{name}", status if say.has(status) else "problem.500")
        title = say.known(f"problem.title.{problem.status}", "problem.title.other")
        page = self.render(visit, "kit/problem.html", status=problem.status, title=title, text=text)
        page.headers.update(problem.headers)
        return page

    def choose_language(
        self,
        request: Request,
        to: Annotated[str, Query(max_length=20)],
        back: Annotated[str, Query(max_length=2_000)] = "",
    ) -> Response:
        """Remember a language. By a link: nothing changes here but a cookie."""
        visit = self.visit(request)
        if to not in self.languages.names:
            return visit.go("/")
        return visit.remember(self.language_cookie, to, back)

    def _places_of(self, visit: Visit) -> list[tuple[str, str, bool]]:
        """Say where the head leads to: the paths, their names, and whether that is here."""
        here = f"{visit.path}/"
        above = [place.path for place in self._places if here.startswith(f"{place.path}/")]
        nearest = max(above, key=len, default="/")
        return [
            (place.path, visit.say(place.text), place.path == nearest)
            for place in self._places
            if place.is_for_tenants or not visit.person.is_bound
        ]
