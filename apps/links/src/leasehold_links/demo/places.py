"""What a place of the demo is: a bookmark, what its address answers, and what has to come of it."""

from __future__ import annotations

from html import escape

import msgspec

from leasehold_links.bookmarks.values import Root
from leasehold_links.demo.odd_web import HTML, Reply

ENDING = "example"  # of all made-up names: reserved, so nobody's


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """`ends` and `reason` are what its enrichment comes to: the state, and why if it is no success.

    A place without a reply is not fetched, or answers 404.
    """

    folder: tuple[str, ...]
    url: str
    name: str  # in the file; "": the page's own title is shown
    reply: Reply | None = None
    ends: str = "succeeded"
    reason: str | None = None
    root: Root = Root.TOOLBAR
    tags: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Host and path, as the server knows it."""
        return self.url.partition("://")[2]


def article(
    title: str, text: str, *, language: str = "en", image: str = "", site: str = "", more: str = ""
) -> Reply:
    """Make a page that says of itself what a good page does."""
    meta = {"og:title": title, "og:site_name": site, "og:image": image}
    tags = "".join(
        f'<meta property="{name}" content="{escape(value)}">'
        for name, value in meta.items()
        if value
    )
    head = f'<meta charset="utf-8"><title>{escape(title)} | {escape(site)}</title>{tags}'
    body = (
        f'<!doctype html><html lang="{language}"><head>{head}'
        f'<meta name="description" content="{escape(text)}"></head>'
        f"<body><h1>{escape(title)}</h1><p>{escape(text)}</p>{more}</body></html>"
    )
    return 200, HTML, body.encode()


def encoded(title: str, text: str, encoding: str, *, declared: str = "") -> Reply:
    """Make a page in an encoding of its own, which it names in its header, or nowhere."""
    body = f"<html><head><title>{title}</title></head><body><p>{text}</p></body></html>"
    kind = f"text/html; charset={declared}" if declared else "text/html"
    return 200, {"Content-Type": kind}, body.encode(encoding)


def status(code: int, **headers: str) -> Reply:
    """Make an answer that is no page."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return code, HTML | named, f"<title>{code}</title>".encode()


def moved(to: str, code: int = 301) -> Reply:
    return code, {"Location": to}, b""
