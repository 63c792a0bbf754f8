"""A small application's web, made of the kit alone: an API, pages below `/ui`, a stream."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter, Request, Response
from sqlalchemy.exc import OperationalError

import leasehold as lh
from leasehold.kit.web import (
    Changer,
    EventStream,
    Following,
    Languages,
    Pages,
    Place,
    Problems,
    Reader,
    Seen,
    make_app,
    not_found,
)
from leasehold.web import Application


class Lost(lh.LeaseholdError):
    """A parcel is lost."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is lost")
        self.name = name


class LostForGood(Lost):
    """It will not be found again."""


PROBLEMS = Problems({Lost: (410, "lost")})
ENGLISH = {
    "brand": "Parcels",
    "nav.all": "All",
    "nav.rules": "Rules",
    "said.sent.one": "{count} sent",
}
GERMAN = {
    **ENGLISH,
    "brand": "Pakete",
    "said.sent.one": "{count} verschickt",
    "problem.lost": "Weg.",
}
LANGUAGES = Languages(
    {"en": {**ENGLISH, "said.sent.many": "{count} sent"}, "de": GERMAN},
    names={"en": "English", "de": "Deutsch"},
)
PAGES = Pages(
    "tests.kit.parcels",
    name="parcels",
    languages=LANGUAGES,
    places=(Place("/", "nav.all"), Place("/rules", "nav.rules", is_for_tenants=False)),
    at="/ui",
)
router = APIRouter()
FAILURES = {
    "lost": Lost("vase"),
    "for_good": LostForGood("vase"),
    "away": OperationalError("SELECT secret", {}, OSError("refused")),
    "crash": ZeroDivisionError("secret"),
}


@router.get("/jobs/{name}", responses=PROBLEMS.responses(404, 410))
def get_parcel(name: str) -> dict[str, str]:
    """Look at a parcel; some can't be."""
    if name in FAILURES:
        raise FAILURES[name]
    if name == "nobody":
        raise not_found("parcel")
    return {"name": name}


@router.delete("/jobs/{name}", status_code=204, responses=PROBLEMS.responses())
def drop_parcel(name: str, _person: Changer) -> None:
    """Forget a parcel."""


@router.post("/", status_code=201, responses=PROBLEMS.responses())
async def send_parcel(request: Request, person: Changer) -> dict[str, object]:
    """Take what is sent."""
    return {"by": person.user_id, "bytes": len(await request.body())}


@router.post("/large", responses=PROBLEMS.responses())
async def send_large_parcel(request: Request) -> dict[str, int]:
    """Take more than that."""
    return {"bytes": len(await request.body())}


@router.get("/events", response_class=Response)
async def follow(request: Request, _person: Reader) -> Response:
    """Tell two things, and end."""
    told = request.app.state.told
    ear = request.app.state.following.follow("told", lambda: Seen(told[-1], told[-1] == b"2"))
    return EventStream(ear, "count")


pages = APIRouter(prefix="/ui", include_in_schema=False)


@pages.get("/")
@pages.get("/rules/{name}")
def show(request: Request, name: str = "vase") -> Response:
    """Show a parcel of a stranger's name."""
    if name in FAILURES:
        raise FAILURES[name]
    return PAGES.render(PAGES.visit(request), "parcel.html", name=name)


def application() -> Application:
    def make(_client: lh.Client) -> object:
        app = make_app(
            title="parcels",
            summary="Parcels.",
            routers=[router, pages],
            problems=PROBLEMS,
            pages=PAGES,
            large={"/large"},
        )
        app.state.following = Following(most=1)
        app.state.told = [msgspec.json.encode(1)]
        return app

    return Application(name="parcels", title="Parcels", make_app=make)  # type: ignore[arg-type] # a FastAPI
