"""A list whose objects are not read says the same of them as one that is read whole."""

from __future__ import annotations

import json

import pytest

from leasehold_sync.connectors.answers import read_whole
from leasehold_sync.connectors.errors import BadAnswer
from leasehold_sync.connectors.unread import read_heads

_JSON = "application/json"


def _page(objects: str) -> bytes:
    return f'{{"object":"list","data":[{objects}],"has_more":false}}'.encode()


def test_objects_have_their_heads_and_are_as_they_were_written() -> None:
    first, second = '{"name": "Jörg", "id":"a","created":7}', '{"deleted":true,"id":2}'
    found = read_heads(_page(f"{first}, {second}"), _JSON)
    assert found.document["has_more"] is False
    assert found.document["data"] == [{"id": "a", "created": 7}, {"deleted": True, "id": 2}]
    assert [bytes(text).decode() for text in found.texts] == [first, second]


@pytest.mark.parametrize(
    "body",
    [
        _page(r'{"id":"a","name":"nul\u0000"}'),
        _page(r'{"id":"a","name":"half \ud800"}'),
        b'{"has_more":true}',
    ],
)
def test_what_is_not_plain_is_read_whole(body: bytes) -> None:
    found = read_heads(body, _JSON)
    assert found == read_whole(body, _JSON)
    assert not found.texts
    json.dumps(found.document, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (_page('{"id":"a"}'), "text/html; charset=utf-8"),
        (_page('{"id":"a","n":NaN}'), _JSON),
        (_page('{"id":"a","n":' + "[" * 100_000 + "]" * 100_000 + "}"), _JSON),
        (_page('{"id":"a","name":"é"}').replace(b"\xa9", b""), _JSON),
        (_page('{"id":"a"')[:30], _JSON),
        (b"[]", _JSON),
    ],
)
def test_what_is_no_answer_is_refused_all_the_same(body: bytes, content_type: str) -> None:
    with pytest.raises(BadAnswer):
        read_heads(body, content_type)
