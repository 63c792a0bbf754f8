"""What all pages share: templates, texts, where they are, and one visit of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias
from urllib.parse import quote

from fastapi import Depends, Request, Response
from starlette.responses import HTMLResponse, RedirectResponse

from leasehold.kit import web
from leasehold.web import Problem, Refused
from leasehold_documents import notifying
from leasehold_documents.errors import Forbidden
from leasehold_documents.web.hub import Hub, get_hub
from leasehold_documents.web.people import (
    SESSION_COOKIE,
    TENANT_COOKIE,
    Caller,
    caller_of,
    reader_of,
    tenants_of,
)
from leasehold_documents.web.texts import LANGUAGES

if TYPE_CHECKING:
    from leasehold_documents.access import Access, Membership

_UNKNOWN = 401
PLACES = (
    web.Place("/", "nav.dashboard"),
    web.Place("/papers", "nav.papers"),
    web.Place("/inbox", "nav.inbox"),
    web.Place("/review", "nav.review"),
    web.Place("/search", "nav.search"),
    web.Place("/connectors", "nav.connectors"),
    web.Place("/jobs", "nav.jobs"),
)


@dataclass(frozen=True)
class Visit(web.Visit):
    """A visit of somebody in a tenant; on a page that says what went wrong, perhaps of nobody."""

    @property
    def hub(self) -> Hub:
        return get_hub(self.request)

    @cached_property
    def caller(self) -> Caller | None:
        try:
            return caller_of(self.request)
        except Refused:
            return None

    @cached_property
    def access(self) -> Access | None:
        try:
            return None if self.caller is None else reader_of(self.request)
        except (Refused, Forbidden):
            return None

    @cached_property
    def person(self) -> web.Person:
        if self.caller is None:
            return web.Person("", "", may_change=False)
        may_change = self.caller.may_change and self.access is not None
        is_member = may_change and self.access is not None and self.access.role != "reader"
        return web.Person(str(self.caller.user_id), self.caller.name, may_change=is_member)

    @cached_property
    def tenants(self) -> list[Membership]:
        return [] if self.caller is None else tenants_of(self.request, self.caller)

    @property
    def has_session(self) -> bool:
        """Whether there is something to sign out of here."""
        return SESSION_COOKIE in self.request.cookies

    def lead(self, address: str) -> Response:
        """Lead to a page of ours, or to the first one."""
        return RedirectResponse(address if self.is_ours(address) else self.link("/"), 303)

    @property
    def tenant_id(self) -> Any:
        return None if self.access is None else self.access.tenant_id

    @cached_property
    def unread(self) -> int:
        """How much somebody was told and has not seen."""
        return 0 if self.access is None else notifying.unread(self.access)


class DocumentPages(web.Pages):
    """Pages that lead whom nobody knows to where they can say who they are."""

    def render(
        self, visit: web.Visit, template: str, *, status: int = 200, **values: Any
    ) -> HTMLResponse:
        written = {
            "money": partial(money, visit),
            "size": partial(size, visit),
            "type_name": partial(type_name, visit),
        }
        response = super().render(visit, template, status=status, **(written | values))
        _keep_tenant(visit, response)
        return response

    def show_problem(self, request: Request, problem: Problem) -> Response:
        visit = self.visit(request)
        if problem.status == _UNKNOWN:
            where = f"{visit.link('/sign-in')}?next={quote(visit.address, safe='/')}"
            return RedirectResponse(where, 303)
        return super().show_problem(request, problem)


def _keep_tenant(visit: web.Visit, response: Response) -> None:
    """Let what a page asks for by itself be of the organization that it shows."""
    if isinstance(visit, Visit) and len(visit.tenants) > 1 and visit.access is not None:
        shown = str(visit.tenant_id)
        if visit.request.cookies.get(TENANT_COOKIE) != shown:
            visit.keep(response, TENANT_COOKIE, shown)


def money(visit: web.Visit, cents: int | None) -> str:
    """Write an amount of euros."""
    if cents is None:
        return visit.say("none")
    return visit.say("money", amount=visit.say.number(cents / 100, 2))


def size(visit: web.Visit, count: int) -> str:
    """Write a number of bytes."""
    for unit, least in (("MB", 1 << 20), ("kB", 1 << 10)):
        if count >= least:
            return f"{visit.say.number(count / least, 1)} {unit}"
    return f"{count} B"


def type_name(visit: web.Visit, doc_type: str | None) -> str:
    """Write what a paper is, in the reader's language where there is a word for it."""
    if doc_type is None:
        return visit.say("none")
    key = f"type.{doc_type}"
    return visit.say(key) if visit.say.has(key) else doc_type


def code_text(visit: web.Visit, code: str | None, message: str | None = None) -> str:
    """Say what a code means; a code that has no words is shown with its own."""
    key = f"problem.{(code or '').lower().replace('_', '-')}"
    return visit.say(key) if visit.say.has(key) else (message or code or "")


PAGES = DocumentPages(
    "leasehold_documents.web",
    name="documents",
    languages=LANGUAGES,
    places=PLACES,
    make_visit=Visit,
)


def visit_of(request: Request) -> Visit:
    return Visit(request, PAGES)


OfVisit: TypeAlias = Annotated[Visit, Depends(visit_of)]
