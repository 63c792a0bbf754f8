"""Lists whose objects stay as they were written: one that has not changed is never read.

Of each only its head is, all that a scan has to know of it. A page that is not plain is read whole,
as any other answer: that says what is wrong with it, or cleans it.
"""

from __future__ import annotations

from typing import Any, TypedDict

import msgspec

from leasehold_sync.connectors.answers import Content, read_whole, wants_care


class _Head(TypedDict, total=False):
    id: Any
    created: Any
    deleted: Any


class _Heads(TypedDict, total=False):
    data: list[_Head]
    has_more: Any


class _Texts(msgspec.Struct):
    data: list[msgspec.Raw]


_heads_in = msgspec.json.Decoder(_Heads).decode
_texts_in = msgspec.json.Decoder(_Texts).decode


def read_heads(body: bytes, content_type: str) -> Content:
    """Read a list of Stripe's, and of its objects no more than their heads."""
    if wants_care(body, content_type):
        return read_whole(body, content_type)
    try:
        body.decode()  # what is not read is not looked at either
        return Content(dict(_heads_in(body)), _texts_in(body).data)
    except (ValueError, RecursionError):
        return read_whole(body, content_type)
