"""Letters by mail: who wrote to whom about what, the text, and the names of what is attached."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any, BinaryIO

from leasehold_documents.extracting.decoding import decode
from leasehold_documents.extracting.elements import Block
from leasehold_documents.extracting.messages import Parse
from leasehold_documents.extracting.parsers import Read
from leasehold_documents.extracting.parsers.markup import html_blocks
from leasehold_documents.extracting.parsers.plain import paged, paragraphs, read
from leasehold_documents.extracting.tidying import tidy

_HEADERS = ("From", "To", "Cc", "Date")


def parse(source: BinaryIO, asked: Parse) -> Read:
    mail = email.message_from_binary_file(source, policy=email.policy.default)
    return read(paged(_blocks(mail)), asked)


def _blocks(mail: EmailMessage) -> Iterator[Block]:
    subject = tidy(str(mail.get("Subject", "")))
    if subject:
        yield Block("Title", subject)
    lines = (f"{name}: {tidy(str(mail[name]))}" for name in _HEADERS if mail[name])
    head = "\n".join(lines)
    if head:
        yield Block("UncategorizedText", head)
    yield from _body(mail)
    for name in _attached(mail):
        yield Block("ListItem", name)


def _body(mail: EmailMessage) -> Iterator[Block]:
    body = mail.get_body(("plain", "html"))
    if body is None:
        return
    text = _text(body)
    is_html = body.get_content_type() == "text/html"
    yield from html_blocks(text) if is_html else paragraphs(text.replace("\r\n", "\n"))


def _text(part: Any) -> str:
    """Decode as it says; when that is no encoding, as it looks."""
    data = part.get_payload(decode=True)
    raw = data if isinstance(data, bytes) else b""
    try:
        return raw.decode(part.get_content_charset() or "utf-8")
    except (LookupError, UnicodeDecodeError):
        return decode(raw)


def _attached(mail: EmailMessage) -> Iterator[str]:
    for part in mail.iter_attachments():
        name = tidy(part.get_filename() or "")[:200]
        if name:
            yield name
