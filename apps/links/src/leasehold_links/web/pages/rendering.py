"""Turns pages into HTML. Whatever strangers wrote is text: cut, without what hides or turns."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from leasehold_links.texts import tidy
from leasehold_links.web.pages.static_files import mark
from leasehold_links.web.showing import icon_address, picture_address, web_address
from leasehold_links.web.texts import NAMES

if TYPE_CHECKING:
    from leasehold_links.web.pages.visiting import Visit
    from leasehold_links.web.texts import Speaker

SHORT = 160  # characters of a line
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:{pictures}; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_SOURCES = {"https": " https:", "all": " https: http:", "none": ""}
_PLACES = (
    ("/", "nav.library"),
    ("/imports", "nav.imports"),
    ("/dead", "nav.dead"),
    ("/domains", "nav.domains"),
)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Load the templates, once in a process."""
    made = Environment(
        loader=PackageLoader("leasehold_links.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "line": line,
        "plain": plain,
        "web": web_address,
        "number": lambda value: f"{value:,}",
        "size": size,
    }
    return made


def render(visit: Visit, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Write a whole page."""
    say = visit.say
    known = {
        "visit": visit,
        "person": visit.person,
        "say": say,
        "link": visit.link,
        "asset": lambda name: f"{visit.root}/static/{name}?{mark()}",
        "moment": partial(moment, say),
        "picture": partial(picture_address, allowed=visit.pictures),
        "icon": partial(icon_address, allowed=visit.pictures),
        "has_pictures": visit.library.settings.pictures != "none",
        "languages": NAMES,
        "places": [
            (path, say(key), _is_here(visit.path, path))
            for path, key in _PLACES
            if path != "/domains" or not visit.person.is_bound
        ],
    }
    body = environment().get_template(template).render(known | values)
    headers = {
        "Content-Security-Policy": _POLICY.format(pictures=_SOURCES[visit.pictures]),
        "Content-Language": say.language,
        "Vary": "Accept-Language, Cookie",
    }
    return HTMLResponse(body, status, headers=headers)


def line(text: object, longest: int = SHORT) -> Markup:
    """Write a stranger's text on one line, apart from the direction of what stands around it."""
    return Markup("<bdi>{}</bdi>").format(plain(text, longest))


def plain(text: object, longest: int = SHORT) -> str:
    """Do the same where no markup can stand: in an attribute or a title."""
    whole = tidy(str(text))
    return whole if len(whole) <= longest else whole[: longest - 1].rstrip() + "…"


def moment(say: Speaker, at: datetime | None) -> Markup:
    """Write a moment; the script writes it again in the reader's own time zone."""
    if at is None:
        return Markup("{}").format(say("none"))
    utc = at.astimezone(UTC)
    months = say("months").split()
    shown = say(
        "moment",
        year=str(utc.year),
        month=months[utc.month - 1],
        day=str(utc.day),
        time=f"{utc:%H:%M}",
    )
    return Markup('<time datetime="{}">{}</time>').format(utc.isoformat(), shown)


def size(count: int) -> str:
    """Write a number of bytes."""
    for unit, least in (("MB", 1 << 20), ("kB", 1 << 10)):
        if count >= least:
            return f"{count / least:,.1f} {unit}"
    return f"{count} B"


def _is_here(here: str, path: str) -> bool:
    return here in {"/", ""} or here.startswith("/link") if path == "/" else here.startswith(path)
