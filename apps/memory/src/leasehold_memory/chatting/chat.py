"""One turn: words come in, a reply goes out as it comes, and both are stored at once.

Whoever listens may leave at any moment: what had come by then is stored, and remembered. A model
that fails before its first word has replied nothing, so nothing is stored: the words are still
with the person, who is told, and may send them again. One that breaks off later has replied in
part, which is stored as it was seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from leasehold_memory.chatting.events import Done, Event, Failed, Token
from leasehold_memory.chatting.turn import Turn
from leasehold_memory.errors import ModelFailed

if TYPE_CHECKING:
    from contextlib import ExitStack

    from leasehold_memory.chatting.wanted import Wanted
    from leasehold_memory.llm import Llm
    from leasehold_memory.opening import Memory


async def chat(
    memory: Memory,
    llm: Llm,
    wanted: Wanted,
    *,
    persona: str,
    is_remembering: bool = True,
    hurry: ExitStack | None = None,
) -> AsyncGenerator[Event]:
    """Reply to what is said. Close it when nobody listens, and give the memory back after that.

    `hurry` is that of the memory's courtesy, if it has begun: it is over with the first word.
    """
    turn = Turn(memory, wanted, is_remembering=is_remembering, hurry=hurry)
    preset_id = memory.preset.id
    try:
        async with aclosing(turn.words(llm, persona)) as words:
            async for word in words:
                yield Token(word)
    except ModelFailed as error:
        if not turn.reply.is_whole:
            unit_id = await turn.keep() if turn.reply.text else None
            yield Failed(error=error, preset_id=preset_id, unit_id=unit_id)
            return
    except (GeneratorExit, asyncio.CancelledError):
        await turn.keep()
        raise
    unit_id = await turn.keep()
    is_reflected = turn.reply.reflection is not None
    yield Done(preset_id=preset_id, unit_id=unit_id, is_reflected=is_reflected, told=turn.told)
