"""A model that answers at once: `python -m bench.memory_model`, until SIGTERM.

The same to everybody: what is measured is not how a model thinks.
"""

from __future__ import annotations

import asyncio
import json

_MOST_BYTES = 1 << 20
_REPLY = "I see: Emma likes Kyoto, and so do you."
_ANSWER = {
    "summary": "about Emma",
    "summary_text": "Emma lives in Kyoto.",
    "capsule_text": "Emma, lately.",
    "entities": [{"kind": "person", "name": "Emma"}, {"kind": "topic", "name": "boats"}],
    "facts": [{"subject": "Emma", "predicate": "lives_in", "object": "Kyoto"}],
    "loops": [{"text": "call Ben about the boat"}],
}


def _chunk(content: str, finish: str | None = None) -> str:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [choice]})}\n\n"


def _answer(kind: str, body: str) -> bytes:
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body.encode())}\r\n\r\n"
    )
    return (head + body).encode()


_WRITTEN = json.dumps(_ANSWER)
_TRAILER = f"\n<<<REFLECTION>>>\n{_WRITTEN}"
_MESSAGE = {"message": {"role": "assistant", "content": _WRITTEN}, "finish_reason": "stop"}
_WHOLE = _answer("application/json", json.dumps({"choices": [_MESSAGE]}))
_STREAM = _answer(
    "text/event-stream",
    "".join(_chunk(word + " ") for word in _REPLY.split()) + _chunk(_TRAILER, "stop"),
)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.partition("content-length:")[2].partition("\r\n")[0])
            body = await reader.readexactly(length)
            writer.write(_STREAM if b'"stream":true' in body else _WHOLE)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, limit=_MOST_BYTES)
    host, port = server.sockets[0].getsockname()
    print(f"http://{host}:{port}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
