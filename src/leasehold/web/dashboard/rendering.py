"""Turns pages into HTML."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache, partial
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from leasehold._version import __version__
from leasehold.model.access import Right
from leasehold.model.states import State
from leasehold.model.wording import count, span
from leasehold.web.access.identity import Manner
from leasehold.web.assets import Assets
from leasehold.web.dashboard import moments, texts
from leasehold.web.dashboard.csrf import STAND_IN
from leasehold.web.dashboard.looks import Look, Page

NAVIGATION = (
    ("/", "Overview", "o"),
    ("/jobs", "Jobs", "j"),
    ("/failures", "Failures", "f"),
    ("/queues", "Queues", "q"),
    ("/batches", "Batches", "b"),
    ("/schedules", "Schedules", "s"),
    ("/workers", "Workers", "w"),
    ("/throttles", "Throttles", "t"),
    ("/tenants", "Tenants", "n"),
    ("/system", "System", "y"),
    ("/audit", "Audit", "a"),
)
# Who is bound to a tenant sees only what can be one's.
FOR_TENANTS = frozenset({"/jobs", "/batches", "/schedules", "/throttles", "/audit"})
FOR_ADMINS = frozenset({"/audit", "/tenants"})
ASSETS = Assets("leasehold.web.dashboard")
_RELATIVE = re.compile(rb"(<time [^>]*>)[^<]*")


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Load the templates, once in a process."""
    made = Environment(
        loader=PackageLoader("leasehold.web.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "short": texts.short,
        "reveal": texts.reveal,
        "first_line": texts.first_line,
        "block": texts.block,
        "pretty": texts.pretty,
        "compact": texts.compact,
        "span": span,
        "exact": moments.exact,
        "number": lambda value: f"{value:,}",
        "rate": _rate,
        "units": lambda value: f"{value:,.10g}",
    }
    made.tests["cut"] = texts.is_cut
    made.globals |= {
        "count": count,
        "between": moments.between,
        "nothing": moments.NOTHING,
        "states": tuple(State),
        "version": __version__,
    }
    return made


def _rate(per_second: float) -> tuple[str, str]:
    """Say how many a second, or how many a minute where they are few."""
    if per_second >= 100:  # noqa: PLR2004 - three digits are enough
        return f"{per_second:,.0f}", "/s"
    if 0 < per_second < 0.1:  # noqa: PLR2004 - fewer than six a minute
        return f"{per_second * 60:.2g}", "/min"
    return f"{per_second:.3g}", "/s"


def render(look: Look, page: Page) -> bytes:
    """Write the part of a page that lives."""
    return _write(look, page.template, dict(page.values))


def wrap(look: Look, page: Page, live: bytes, *, etag: str, said: Any = None) -> bytes:
    """Write the whole page around it."""
    inside = Markup(live.decode())  # noqa: S704 - our own templates made it, escaping  # nosec B704
    values = {"page": page, "live": inside, "etag": etag, "said": said}
    return _write(look, "shell.html", values)


def write_part(look: Look, template: str, **values: Any) -> bytes:
    """Write something small that stands on its own."""
    return _write(look, template, values)


def fingerprint(live: bytes) -> str:
    """Tell contents apart; that time passes alone makes no other content."""
    plain = _RELATIVE.sub(rb"\1", live).replace(STAND_IN.encode(), b"")
    return hashlib.blake2b(plain, digest_size=12).hexdigest()


def _write(look: Look, template: str, values: dict[str, Any]) -> bytes:
    known = {
        "look": look,
        "section": _section(look.path),
        "asset": partial(_asset, look),
        "home": _home(look),
        "stores": _stores(look),
        "link": look.link,
        "ago": partial(moments.ago, now=look.now),
        "elapsed": partial(moments.elapsed, now=look.now),
        "can_act": not look.is_read_only,
        "is_known": look.identity is not None and look.identity.manner is not Manner.OPEN,
        "csrf": STAND_IN,
        "navigation": _navigation(look),
    }
    return environment().get_template(template).render(known | values).encode()


def _navigation(look: Look) -> list[tuple[str, str, str]]:
    """List the pages that whoever looks may see."""
    if look.identity is None:
        return []
    return [
        place
        for place in NAVIGATION
        if (look.tenant is None or place[0] in FOR_TENANTS)
        and (place[0] not in FOR_ADMINS or look.may(Right.ADMIN))
    ]


def _section(path: str) -> str:
    """Name the page of the navigation that a path belongs to."""
    return "/" + path.strip("/").split("/")[0]


def _asset(look: Look, name: str) -> str:
    return f"{look.root}/static/{name}?{ASSETS.mark}"


def _home(look: Look) -> str:
    """Return where the service stands of which this may be one store's part."""
    return look.root.removesuffix(look.site.path)


def _stores(look: Look) -> list[dict[str, Any]]:
    return [
        {
            "path": f"{_home(look)}{each.path}/",
            "title": each.title,
            "is_here": each.path == look.site.path,
        }
        for each in look.site.stores
    ]
