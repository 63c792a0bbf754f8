"""Words that want a reply, what comes of it, and what is stored of both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from leasehold_memory.chatting.preparing import prepare
from leasehold_memory.chatting.reply import Reply
from leasehold_memory.chatting.storing import store
from leasehold_memory.errors import BadAnswer
from leasehold_memory.llm import BadReason

if TYPE_CHECKING:
    from contextlib import ExitStack

    from leasehold_memory.chatting.wanted import Wanted
    from leasehold_memory.llm import Llm
    from leasehold_memory.opening import Memory

T = TypeVar("T")


class Turn:
    """One turn of a conversation; it happened when it was begun."""

    def __init__(
        self, memory: Memory, wanted: Wanted, *, is_remembering: bool, hurry: ExitStack | None
    ) -> None:
        self._memory = memory
        self._hurry = hurry or memory.courtesy.hurry()
        self._wanted = wanted
        self._is_remembering = is_remembering
        self._began_at = datetime.now(UTC)
        self.reply = Reply()
        self.told: list[int] = []  # the memories that the model was told of

    async def words(self, llm: Llm, persona: str) -> AsyncGenerator[str]:
        """Ask the model once; yields what may be shown of its answer. Jobs wait for the first."""
        with self._hurry as hurry:
            async with aclosing(self._pieces(llm, persona)) as pieces:
                async for piece in pieces:
                    if shown := self.reply.take(piece):
                        yield shown
                        hurry.close()  # not before: those who waited would run before it is sent
        if rest := self.reply.end():
            yield rest
        if not self.reply.text:
            raise BadAnswer(BadReason.EMPTY, "chat")

    async def _pieces(self, llm: Llm, persona: str) -> AsyncGenerator[str]:
        write = partial(
            prepare,
            self._memory,
            self._wanted,
            persona=persona,
            budget_tokens=llm.preset.context_tokens,
            is_remembering=self._is_remembering,
        )
        prepared = await _in_thread(write)
        self.told = prepared.unit_ids
        async with aclosing(llm.stream(prepared.messages)) as pieces:
            async for piece in pieces:
                yield piece

    async def keep(self) -> int | None:
        """Store what was said, unless memory is off; returns the number of the episode."""
        if not self._is_remembering:
            return None
        self.reply.leave()
        return await _in_thread(
            partial(store, self._memory, self._wanted, self.reply, now=self._began_at)
        )


async def _in_thread(work: Callable[[], T]) -> T:
    """Work in a thread, and wait for its end in any case: it needs what its caller holds."""
    working = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait({working})
        raise
