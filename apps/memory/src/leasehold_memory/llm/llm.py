"""A model behind an address: asked for JSON that is checked, or for words as they come."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, Self, TypeVar

import httpx
import msgspec

from leasehold_memory.errors import BadAnswer, ModelDown, ModelRefusedRequest
from leasehold_memory.llm.completions import read_completion
from leasehold_memory.llm.finding import find_document
from leasehold_memory.llm.fitting import fit
from leasehold_memory.llm.messages import Message, Prompt
from leasehold_memory.llm.reasons import BadReason
from leasehold_memory.llm.streaming import stream_text
from leasehold_memory.llm.wire import (
    MOST_BYTES,
    address,
    check_status,
    client_options,
    credentials,
    note_what_is_missing,
    told_plainly,
)
from leasehold_memory.model.answers import Answer
from leasehold_memory.model.presets import ModelPreset

T = TypeVar("T", bound=Answer)
_PATH = "/chat/completions"
_EXACT: dict[str, Any] = {"temperature": 0, "response_format": {"type": "json_object"}}


class Llm:
    """One model preset's model. Threads may share it; `close` hangs up, and is safe twice."""

    def __init__(self, preset: ModelPreset) -> None:
        self.preset = preset
        note_what_is_missing()
        self._client = httpx.Client(**client_options(preset))

    def __repr__(self) -> str:
        return f"Llm({self.preset.id!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()

    def ask_json(self, schema: type[T], messages: Prompt, *, what: str) -> T:
        """Ask for an answer of this shape; once again with less input if it is no good.

        Takes at most twice the preset's time. Raises a `ModelFailed`; a `BadAnswer` says why the
        second answer was no good either. `what` names the question in errors.
        """
        try:
            return self._asked(schema, messages, what, _EXACT | self._length())
        except (BadAnswer, ModelRefusedRequest):
            # Also without what some servers don't know: they refuse the request for it.
            return self._asked(schema, messages.shorter(), what, {})

    async def stream(self, messages: Sequence[Message]) -> AsyncGenerator[str]:
        """Yield the reply as it comes. Close it (`contextlib.aclosing`) when nobody listens."""
        own = {"temperature": self.preset.temperature, **self._length()}
        try:
            async with aclosing(self._streamed(messages, own)) as pieces:
                async for piece in pieces:
                    yield piece
        except ModelRefusedRequest:  # before the first word
            async with aclosing(self._streamed(messages, {})) as pieces:
                async for piece in pieces:
                    yield piece

    async def _streamed(
        self, messages: Sequence[Message], options: dict[str, Any]
    ) -> AsyncGenerator[str]:
        body = self._body(messages, stream=True, **options)
        async with httpx.AsyncClient(**client_options(self.preset)) as client:
            with told_plainly():
                url, key = address(self.preset, _PATH), credentials(self.preset)
                async for piece in stream_text(client, url, key, body):
                    yield piece

    def _asked(self, schema: type[T], prompt: Prompt, what: str, options: dict[str, Any]) -> T:
        body = self._body(prompt.messages(), **options)
        try:
            with told_plainly():
                answered = self._post(body, what)
        except RuntimeError:
            if not self._client.is_closed:
                raise
            raise ModelDown("nobody asks it any more") from None
        document = find_document(read_completion(answered, what).text(what))
        if document is None:
            raise BadAnswer(BadReason.NOT_JSON, what)
        try:
            return fit(schema, document)
        except msgspec.ValidationError:
            # Its text may quote what the model wrote.
            raise BadAnswer(BadReason.WRONG_SHAPE, what) from None

    def _post(self, body: bytes, what: str) -> bytes:
        ends_at = time.monotonic() + self.preset.timeout_seconds
        url, key = address(self.preset, _PATH), credentials(self.preset)
        with self._client.stream("POST", url, content=body, headers=key) as response:
            check_status(response.status_code, response.headers)
            whole = bytearray()
            for piece in response.iter_bytes():
                whole += piece
                if len(whole) > MOST_BYTES:
                    raise BadAnswer(BadReason.TOO_LONG, what)
                if time.monotonic() > ends_at:
                    raise ModelDown("no whole answer in time")
        return bytes(whole)

    def _body(self, messages: Sequence[Message], **options: Any) -> bytes:
        asked = {"model": self.preset.model, "messages": messages, **options}
        return msgspec.json.encode(asked)

    def _length(self) -> dict[str, Any]:
        return {"max_tokens": self.preset.max_tokens}
