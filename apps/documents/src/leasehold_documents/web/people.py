"""Who asks, and in which tenant: a token, a session of the service, or nobody is asked.

The tenant is what the header `X-Tenant` says, else what was chosen on a page, else the only one
that somebody belongs to. Another one's is refused, and that is written down.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias
from uuid import UUID

from fastapi import Depends, Request

from leasehold.web import Identity, Problem, Refused, Right, identity_of, make_problem
from leasehold_documents.access import Access, memberships_of
from leasehold_documents.data import people
from leasehold_documents.web.hub import Hub, get_hub

if TYPE_CHECKING:
    from leasehold_documents.access import Membership

DEMO_EMAIL = "demo@example.org"
TENANT_HEADER = "x-tenant"
TENANT_COOKIE = "documents_tenant"
SESSION_COOKIE = "documents_session"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody. `tenant`: the only one that they may come to by what they have shown."""

    user_id: UUID
    name: str
    language: str
    may_change: bool = True
    tenant: str | None = None
    until: float | None = None  # seconds since 1970: when what they have shown ends
    is_asked: bool = True  # False: nobody is, so everybody is this one


def caller_of(request: Request) -> Caller:
    """Find out who asks; refused unless somebody is known here by that."""
    known = getattr(request.state, "documents_caller", None)
    if known is None:
        known = request.state.documents_caller = _find_caller(request)
    caller: Caller = known
    return caller


def _find_caller(request: Request) -> Caller:
    hub, shown, identity = get_hub(request), shown_token(request), identity_of(request)
    claimed = hub.tokens.read(shown) if shown else None
    if claimed is not None:
        return _known(hub, claimed.user_id, until=claimed.until)
    if identity is not None and identity.name:
        return _known_to_service(hub, identity)
    if identity is not None and not shown and not hub.tokens.is_asking:
        return _anybody(hub)
    raise Refused(_unknown())


def shown_token(request: Request) -> str:
    """Return what somebody shows: a bearer token, or that of a browser's cookie.

    A cookie changes something only from a page of ours, which a browser says.
    """
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    if scheme:
        return bearer.strip() if scheme.lower() == "bearer" else "-"
    cookie = request.cookies.get(SESSION_COOKIE, "")
    says_whence = "origin" in request.headers or "sec-fetch-site" in request.headers
    if cookie and request.method not in _SAFE and not says_whence:
        detail = "a browser's session changes something from a page of ours only"
        raise Refused(make_problem(403, "wrong-csrf", detail))
    return cookie


def _known(hub: Hub, user_id: UUID, **rest: object) -> Caller:
    with hub.database.read() as connection:
        found = people.get_user(connection, user_id)
    if found is None:
        raise Refused(_stranger())
    name = found["name"] or found["email"]
    return Caller(user_id, name, found["language"], **rest)  # type: ignore[arg-type] # its fields


def _known_to_service(hub: Hub, identity: Identity) -> Caller:
    """Find who has a token or a session of the service: it is called as they are, here."""
    with hub.database.read() as connection:
        user_id = people.user_named(connection, identity.name)
    if user_id is None:
        with suppress(ValueError):
            user_id = UUID(identity.name)
    if user_id is None:
        raise Refused(_stranger())
    may_change = identity.may(Right.OPERATE)
    return _known(hub, user_id, may_change=may_change, tenant=identity.tenant)


def _anybody(hub: Hub) -> Caller:
    """Be the demo's user where nobody is asked; else whoever has been here longest."""
    with hub.database.read() as connection:
        found = people.find_users(connection)
    if not found:
        detail = "nobody is known here yet: leasehold-documents init makes the first one"
        raise Refused(make_problem(403, "nobody-yet", detail))
    chosen = min(found, key=lambda each: (each["email"] != DEMO_EMAIL, each["created_at"]))
    return Caller(chosen["id"], chosen["name"], chosen["language"], is_asked=False)


def tenants_of(request: Request, caller: Caller) -> list[Membership]:
    """List the tenants that somebody may come to by what they have shown, by name."""
    known = getattr(request.state, "documents_tenants", None)
    if known is None:
        found = memberships_of(get_hub(request).database, caller.user_id)
        known = [each for each in found if caller.tenant in {None, str(each.tenant_id)}]
        request.state.documents_tenants = known
    tenants: list[Membership] = known
    return tenants


def reader_of(request: Request) -> Access:
    """Let somebody into the tenant that they name."""
    caller = caller_of(request)
    return _enter(request, caller, _tenant_of(request, caller))


def changer_of(request: Request) -> Access:
    """Do the same for those who may change something there."""
    return _changing(request, reader_of(request))


def enter_to_change(request: Request, tenant_id: UUID) -> Access:
    """Do the same for a tenant that they named before."""
    return _changing(request, _enter(request, caller_of(request), tenant_id))


def _changing(request: Request, access: Access) -> Access:
    if not caller_of(request).may_change:
        raise Refused(make_problem(403, "wrong-scope", "this needs the scope operate"))
    access.require("member")
    return access


def is_overseer(request: Request) -> bool:
    """Whether somebody sees what is of no tenant: who runs the service, or its cron job."""
    hub, identity = get_hub(request), identity_of(request)
    if hub.tokens.is_service(shown_token(request)):
        return True
    if identity is None or identity.tenant is not None or not identity.may(Right.ADMIN):
        return False
    return bool(identity.name) or not hub.tokens.is_asking


def overseer_of(request: Request) -> None:
    """Refuse all others."""
    if not is_overseer(request):
        if not is_known(request):
            raise Refused(_unknown())
        detail = "this belongs to no organization: it needs the service's token"
        raise Refused(make_problem(403, "not-for-tenants", detail))


def is_known(request: Request) -> bool:
    """Whether somebody is known at all."""
    try:
        caller_of(request)
    except Refused as refused:
        return refused.problem.status != 401  # noqa: PLR2004 - its own name
    return True


def _enter(request: Request, caller: Caller, tenant_id: UUID) -> Access:
    if caller.tenant not in {None, str(tenant_id)}:
        raise Refused(make_problem(403, "forbidden", "your token is for another organization"))
    hub = get_hub(request)
    return Access(hub.client, hub.database, caller.user_id, tenant_id)


def _tenant_of(request: Request, caller: Caller) -> UUID:
    said = request.headers.get(TENANT_HEADER)
    if said is not None:
        return _id_of(said)
    mine = [each.tenant_id for each in tenants_of(request, caller)]
    chosen = request.cookies.get(TENANT_COOKIE, "")
    for each in mine:
        if str(each) == chosen:
            return each
    if len(mine) != 1 and not is_page(request):
        detail = "say which organization it is about: X-Tenant: its id (GET api/me lists yours)"
        raise Refused(make_problem(400, "tenant-needed", detail))
    if not mine:
        raise Refused(make_problem(403, "no-tenant", "you belong to no organization"))
    return mine[0]


def is_page(request: Request) -> bool:
    """Whether a person at a browser asks, whom pages lead."""
    path: str = request.scope["path"]
    return not path.removeprefix(request.scope.get("root_path", "")).startswith("/api/")


def _id_of(said: str) -> UUID:
    try:
        return UUID(said)
    except ValueError:
        detail = "X-Tenant: that is no organization's id"
        raise Refused(make_problem(400, "bad-request", detail)) from None


def _unknown() -> Problem:
    headers = {"WWW-Authenticate": 'Bearer realm="leasehold-documents"'}
    detail = "say who you are: Authorization: Bearer and a token (leasehold-documents token)"
    return make_problem(401, "unauthenticated", detail, headers=headers)


def _stranger() -> Problem:
    return make_problem(403, "unknown-user", "your token is good, but nobody knows you here")


Somebody: TypeAlias = Annotated[Caller, Depends(caller_of)]
Reader: TypeAlias = Annotated[Access, Depends(reader_of)]
Changer: TypeAlias = Annotated[Access, Depends(changer_of)]
Overseer: TypeAlias = Annotated[None, Depends(overseer_of)]
