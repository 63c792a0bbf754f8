"""What a page says of itself: title, description, picture, icon."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec
from ada_url import join_url
from selectolax.lexbor import LexborHTMLParser, LexborNode

from leasehold.kit.texts import LONGEST_EXCERPT, excerpt, tidy

LONGEST_TITLE = 300
LONGEST_DESCRIPTION = 1_000
LONGEST_ADDRESS = 2_048
_SHORTEST_PARAGRAPH = 40  # characters: what is shorter is a label or a button
_TITLES = ("og:title", "twitter:title")
_DESCRIPTIONS = ("og:description", "description", "twitter:description")
_PICTURES = (
    "og:image:secure_url",
    "og:image",
    "og:image:url",
    "twitter:image",
    "twitter:image:src",
)
_PARAGRAPHS = ("article p", "main p", "p")
_BEST_ICON_PIXELS = 64


class Metadata(msgspec.Struct, frozen=True, kw_only=True):
    """None: the page does not say."""

    title: str | None = None
    description: str | None = None
    image: str | None = None
    favicon: str | None = None
    site_name: str | None = None
    language: str | None = None


def read_page(text: str, url: str) -> Metadata:
    """Read a page that came from this address."""
    tree = LexborHTMLParser(text)
    meta = _meta_of(tree)
    base = _base_of(tree, url)
    return Metadata(
        title=_first(_named(meta, _TITLES), _texts(tree, "head title", "title", "h1"))[
            :LONGEST_TITLE
        ]
        or None,
        description=_description(tree, meta),
        image=_address(_named(meta, _PICTURES), base) or _address(_linked(tree, "image_src"), base),
        favicon=_address(_icons(tree), base) or _address(["/favicon.ico"], url),
        site_name=_first(_named(meta, ("og:site_name", "application-name")))[:LONGEST_TITLE]
        or None,
        language=_language(tree),
    )


def _meta_of(tree: LexborHTMLParser) -> dict[str, str]:
    """Collect the named values of a page; the first of each name counts."""
    found: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        name = (attributes.get("property") or attributes.get("name") or "").strip().lower()
        content = attributes.get("content")
        if name and content and content.strip():
            found.setdefault(name, content)
    return found


def _base_of(tree: LexborHTMLParser, url: str) -> str:
    node = tree.css_first("base[href]")
    return _joined(url, (node.attributes.get("href") if node else None) or "") or url


def _description(tree: LexborHTMLParser, meta: dict[str, str]) -> str | None:
    said = _first(_named(meta, _DESCRIPTIONS))
    if said:
        return excerpt(said, LONGEST_DESCRIPTION)
    for selector in _PARAGRAPHS:
        text = " ".join(_paragraphs(tree, selector))
        if text:
            return excerpt(text)
    return None


def _paragraphs(tree: LexborHTMLParser, selector: str) -> Iterator[str]:
    """Yield as many whole paragraphs as an excerpt may need."""
    length = 0
    for node in tree.css(selector):
        text = tidy(node.text(separator=" "))
        if len(text) >= _SHORTEST_PARAGRAPH:
            yield text
            length += len(text)
        if length > LONGEST_EXCERPT:
            return


def _named(meta: dict[str, str], names: Iterable[str]) -> Iterator[str]:
    return (meta[name] for name in names if name in meta)


def _texts(tree: LexborHTMLParser, *selectors: str) -> Iterator[str]:
    for selector in selectors:
        node = tree.css_first(selector)
        if node is not None:
            yield node.text(separator=" ")


def _first(*sources: Iterable[str]) -> str:
    return next((text for source in sources for each in source if (text := tidy(each))), "")


def _linked(tree: LexborHTMLParser, relation: str) -> Iterator[str]:
    for node in tree.css("link[rel][href]"):
        if relation in (node.attributes.get("rel") or "").lower().split():
            yield node.attributes.get("href") or ""


def _icons(tree: LexborHTMLParser) -> list[str]:
    """List the icons of a page, those first whose size is nearest to what is shown."""
    found = []
    for node in tree.css("link[rel][href]"):
        relations = (node.attributes.get("rel") or "").lower().split()
        if "icon" in relations or "apple-touch-icon" in relations:
            found.append(
                (abs(_pixels(node) - _BEST_ICON_PIXELS), node.attributes.get("href") or "")
            )
    return [href for _, href in sorted(found, key=lambda each: each[0])]


def _pixels(node: LexborNode) -> int:
    size = re.match(r"\d{1,4}", node.attributes.get("sizes") or "")
    return int(size[0]) if size else 32


def _address(candidates: Iterable[str], base: str) -> str | None:
    """Return the first that is an address of the web; it is shown, never fetched."""
    for each in candidates:
        joined = _joined(base, each.strip())
        if joined is not None and joined.startswith(("https://", "http://")):
            return joined
    return None


def _joined(base: str, address: str) -> str | None:
    if len(address) > LONGEST_ADDRESS:
        return None
    try:
        return join_url(base, address)
    except ValueError:
        return None


def _language(tree: LexborHTMLParser) -> str | None:
    node = tree.css_first("html[lang]")
    said = (node.attributes.get("lang") or "") if node else ""
    return (
        said[:35].lower() if re.fullmatch(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*", said) else None
    )
