"""What the API answers with, as far as it is read: a completion, or pieces of one."""

from __future__ import annotations

import msgspec

from leasehold_memory.errors import BadAnswer
from leasehold_memory.llm.reasons import BadReason

_FILTERED = "content_filter"
_CUT = "length"


class _Part(msgspec.Struct):
    type: str = ""
    text: str = ""


class _Text(msgspec.Struct):
    content: str | list[_Part] | None = None  # some servers send a list of its parts
    refusal: str | None = None

    @property
    def written(self) -> str:
        """What was written, without parts of other kinds, such as thoughts."""
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class _Choice(msgspec.Struct):
    message: _Text = msgspec.field(default_factory=_Text)
    delta: _Text = msgspec.field(default_factory=_Text)
    finish_reason: str | None = None


class Completion(msgspec.Struct):
    """An answer, or one piece of it; a piece may be an error."""

    choices: list[_Choice] = []
    error: msgspec.Raw = msgspec.Raw()

    @property
    def is_error(self) -> bool:
        return bytes(self.error) not in {b"", b"null"}

    @property
    def is_refusal(self) -> bool:
        return any(
            each.finish_reason == _FILTERED or each.message.refusal or each.delta.refusal
            for each in self.choices[:1]
        )

    @property
    def is_last(self) -> bool:
        return any(each.finish_reason for each in self.choices[:1])

    @property
    def piece(self) -> str:
        """What this piece adds to the text."""
        return "".join(each.delta.written for each in self.choices[:1])

    def text(self, what: str) -> str:
        """Return the whole text; `BadAnswer` if there is none, or not all of it."""
        if not self.choices:
            raise BadAnswer(BadReason.NO_COMPLETION, what)
        if self.is_refusal:
            raise BadAnswer(BadReason.REFUSED, what)
        choice = self.choices[0]
        if choice.finish_reason == _CUT:
            raise BadAnswer(BadReason.CUT_OFF, what)
        if not choice.message.written.strip():
            raise BadAnswer(BadReason.EMPTY, what)
        return choice.message.written


_DECODER = msgspec.json.Decoder(Completion)


def read_completion(body: bytes, what: str) -> Completion:
    """Read what came; a page of somebody else's is no completion."""
    try:
        return _DECODER.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadAnswer(BadReason.NO_COMPLETION, what) from None
