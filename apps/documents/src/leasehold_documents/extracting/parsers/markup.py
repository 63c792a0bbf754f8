"""HTML and XML: the text that a reader would see; nothing is loaded, run or resolved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from lxml import etree

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting import kinds
from leasehold_documents.extracting.decoding import decode
from leasehold_documents.extracting.elements import Block
from leasehold_documents.extracting.messages import Parse
from leasehold_documents.extracting.parsers import Read
from leasehold_documents.extracting.parsers.plain import paged, read
from leasehold_documents.extracting.tidying import tidy
from leasehold_documents.extracting.wording import type_of

_SILENT = frozenset(
    ["script", "style", "noscript", "template", "head", "svg", "math", "iframe", "object"]
)
_HEADINGS = frozenset(["title", "h1", "h2", "h3", "h4", "h5", "h6"])
_BLOCKS = _HEADINGS | frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "caption",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hr",
        "html",
        "li",
        "main",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{2,30})", re.IGNORECASE)
_HEAD = 4_096
_SPACE = re.compile(r"\s+")


def parse(source: BinaryIO, asked: Parse) -> Read:
    data = source.read()
    blocks = html_blocks(_text(data)) if asked.media_type == kinds.HTML.media_type else _xml(data)
    return read(paged(blocks), asked)


def html_blocks(text: str) -> Iterator[Block]:
    """Yield a page's paragraphs, headings, items and rows of tables."""
    parser = etree.HTMLParser(no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(text.replace("\0", "").encode("utf-8", "replace"), parser)
    if root is None:
        return
    title = root.find(".//title")
    if title is not None and title.text:
        yield from _block("Title", [title.text])
    yield from _seen(root)


def _text(data: bytes) -> str:
    said = _CHARSET.search(data[:_HEAD])
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        name = said[1].decode("ascii") if said else ""
        if re.fullmatch(r"(?i)(windows-|cp)?125\d|iso-8859-\d{1,2}|koi8-r", name):
            return data.decode({"iso-8859-1": "cp1252"}.get(name.lower(), name), "replace")
    return decode(data)


def _seen(root: Any) -> Iterator[Block]:
    """Walk without recursion: a page may be nested as deep as it likes."""
    pieces: list[str] = []
    kinds_open: list[str] = [""]
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        tag = node.tag if isinstance(node.tag, str) else ""
        if event == "start" and tag in _SILENT:
            walk.skip_subtree()
            continue
        if tag in _BLOCKS:
            yield from _block(kinds_open[-1], pieces)
            pieces = []
        if event == "start":
            kinds_open.append(_type(tag) or kinds_open[-1])
            pieces.append(node.text or "")
        else:
            if tag not in _SILENT:
                kinds_open.pop()
            pieces.append(node.tail or "")
    yield from _block("", pieces)


def _type(tag: str) -> str:
    if tag in _HEADINGS:
        return "Title"
    return {"li": "ListItem", "table": "Table"}.get(tag, "")


def _block(kind: str, pieces: list[str]) -> Iterator[Block]:
    text = tidy(_SPACE.sub(" ", "".join(pieces)))
    if text:
        yield Block(kind or type_of(text), text)


def _xml(data: bytes) -> Iterator[Block]:
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, recover=False
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise Rejected("UNREADABLE", "this XML is broken") from error
    for text in root.itertext():
        yield from _block("", [text])
