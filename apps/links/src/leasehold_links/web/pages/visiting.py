"""What pages of the library are made with, and what they need to know of a visit beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from leasehold.kit import web
from leasehold_links.web.library import Library, get_library
from leasehold_links.web.showing import icon_address, picture_address, web_address
from leasehold_links.web.texts import LANGUAGES

PICTURES_COOKIE = "links_pictures"
_SOURCES = {"https": " https:", "all": " https: http:", "none": ""}


@dataclass(frozen=True)
class Visit(web.Visit):
    """A visit of a library; pictures are those of other sites, which learn who looks at them."""

    @property
    def library(self) -> Library:
        return get_library(self.request)

    @property
    def has_pictures(self) -> bool:
        """Whether there is something to choose."""
        return self.library.settings.pictures != "none"

    @property
    def pictures(self) -> str:
        """Which pictures to show: `https`, `all` or `none`."""
        is_off = self.request.cookies.get(PICTURES_COOKIE) == "off"
        return "none" if is_off else self.library.settings.pictures

    @property
    def image_sources(self) -> str:
        return _SOURCES[self.pictures]

    def picture(self, address: str | None) -> str | None:
        return picture_address(address, self.pictures)

    def icon(self, address: str | None) -> str | None:
        return icon_address(address, self.pictures)


PAGES = web.Pages(
    "leasehold_links.web",
    name="links",
    languages=LANGUAGES,
    places=(
        web.Place("/", "nav.library"),
        web.Place("/imports", "nav.imports"),
        web.Place("/dead", "nav.dead"),
        web.Place("/domains", "nav.domains", is_for_tenants=False),
    ),
    make_visit=Visit,
    filters={"web": web_address},
)


def visit_of(request: Request) -> Visit:
    return Visit(request, PAGES)


OfVisit: TypeAlias = Annotated[Visit, Depends(visit_of)]
