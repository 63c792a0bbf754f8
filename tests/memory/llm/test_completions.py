"""What servers answer with is read in each of the forms that are about, and nothing else is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leasehold_memory.errors import BadAnswer
from leasehold_memory.llm.completions import read_completion


def text_of(message: Any, finish: str | None = "stop") -> str:
    document = {"choices": [{"message": message, "finish_reason": finish, "index": 0}], "usage": {}}
    return read_completion(json.dumps(document).encode(), "facts").text("facts")


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "{}"},
        {"content": "{}", "refusal": None, "reasoning_content": "Well.", "tool_calls": []},
        {"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "{}"}]},
        {"content": [{"type": "text", "text": "{"}, {"type": "text", "text": "}"}]},
    ],
)
def test_a_text_is_read_whole_or_from_its_parts(message: dict[str, Any]) -> None:
    assert text_of(message) == "{}"


@pytest.mark.parametrize(
    ("message", "finish", "reason"),
    [
        ({"content": None}, "stop", "empty"),
        ({"content": " \n"}, "stop", "empty"),
        ({"content": [{"type": "thinking"}]}, "stop", "empty"),
        ({"content": "{}"}, "length", "cut off"),
        ({"content": "{}"}, "content_filter", "a refusal"),
        ({"content": None, "refusal": "No."}, "stop", "a refusal"),
        ({"content": 7}, "stop", "no completion"),
        (None, "stop", "no completion"),
    ],
)
def test_what_is_no_whole_text_is_told(message: Any, finish: str, reason: str) -> None:
    with pytest.raises(BadAnswer, match=f"facts is {reason}"):
        text_of(message, finish)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b"{}", b'{"choices": []}', b"\xff", b"[" * 9999]
)
def test_what_is_no_completion_is_told(body: bytes) -> None:
    with pytest.raises(BadAnswer, match="no completion"):
        read_completion(body, "facts").text("facts")
