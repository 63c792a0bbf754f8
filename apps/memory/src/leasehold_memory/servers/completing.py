"""A completion: what was asked, what the mind says to it, and how the API sends that."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from leasehold.kit.servers import Reply
from leasehold_memory.model.asking import REFLECTION_MARKER, TASK_LINE, Ask
from leasehold_memory.servers.mind import answer, reply_to

_PIECE = 4  # characters, if the reply is streamed
_EVENTS = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
_GIVEN_UP = b'data: {"error": {"message": "overloaded", "type": "server_error"}}\n\n'
_OTHER = "other"  # a prompt that is none of ours


class Turn(msgspec.Struct):
    """One message."""

    role: str
    content: str


class Asked(msgspec.Struct):
    """A request, as far as it is read."""

    messages: list[Turn]
    stream: bool = False

    @property
    def system(self) -> str:
        return next((turn.content for turn in self.messages if turn.role == "system"), "")

    @property
    def last(self) -> str:
        return next((turn.content for turn in self.messages[::-1] if turn.role == "user"), "")

    @property
    def what(self) -> str:
        """The `Ask` that its first line names."""
        first = self.system.partition("\n")[0]
        named = first.removeprefix(TASK_LINE) if first.startswith(TASK_LINE) else _OTHER
        return named if named in set(Ask) else _OTHER


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What the model writes: a reply, JSON, or the one and then the other behind a marker."""

    reply: str = ""
    document: dict[str, Any] | None = None
    before: str = ""  # around the JSON
    after: str = ""
    cut: float = 1.0  # how much of all comes
    finish: str = "stop"
    refusal: str | None = None
    piece: int = _PIECE
    gives_up: bool = False  # in the middle of a stream, and says so there

    @property
    def text(self) -> str:
        marker = f"\n\n{REFLECTION_MARKER}\n" if self.reply and self.document is not None else ""
        written = "" if self.document is None else json.dumps(self.document, ensure_ascii=False)
        whole = f"{self.reply}{marker}{self.before}{written}{self.after}"
        return whole[: int(len(whole) * self.cut)]


def complete(asked: Asked) -> Written:
    """Think."""
    if asked.what in {Ask.CHAT, _OTHER}:
        reply, reflection = reply_to(asked.last, asked.system)
        return Written(reply=reply, document=reflection if asked.what == Ask.CHAT else None)
    try:
        material = json.loads(asked.last)
    except ValueError:
        material = {}
    return Written(document=answer(Ask(asked.what), material))


def write(asked: Asked, written: Written, model: str, pause: float) -> Reply:
    """Send it whole, or as it is thought."""
    if asked.stream:
        return _streamed(written, model, pause)
    message = {"role": "assistant", "content": written.text, "refusal": written.refusal}
    choice = {"index": 0, "message": message, "finish_reason": written.finish}
    words = len(asked.last) // 4
    usage = {"prompt_tokens": words, "completion_tokens": len(written.text) // 4}
    return Reply(
        body=msgspec.json.encode(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 0,
                "model": model,
                "choices": [choice],
                "usage": usage | {"total_tokens": sum(usage.values())},
            }
        )
    )


def _streamed(written: Written, model: str, pause: float) -> Reply:
    text = written.text
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    if written.refusal:
        deltas.append({"refusal": written.refusal})
    deltas += [
        {"content": text[begin : begin + written.piece]}
        for begin in range(0, len(text), written.piece)
    ]
    events = [_event(model, delta, None) for delta in deltas]
    if written.gives_up:
        events[len(events) // 2 :] = [_GIVEN_UP]
    pieces = (*events, _event(model, {}, written.finish), b"data: [DONE]\n\n")
    return Reply(headers=_EVENTS, pieces=pieces, pause=pause)


def _event(model: str, delta: dict[str, Any], finish: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    document = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": model,
        "choices": [choice],
    }
    return b"data: " + msgspec.json.encode(document) + b"\n\n"
