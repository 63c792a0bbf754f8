"""Asks once for what many ask at the same time.

Ten fetches on one loop read and write a little each. What comes while one question is on its way
is asked as the next one, together: one thread, one transaction, however many they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")
MOST = 100


class Together(Generic[Question, Answer]):
    """Belongs to one event loop. `answer_all` runs in a thread; it answers in order."""

    def __init__(self, answer_all: Callable[[Sequence[Question]], Sequence[Answer]]) -> None:
        self._answer_all = answer_all
        self._waiting: list[tuple[Question, asyncio.Future[Answer]]] = []
        self._asking: asyncio.Task[None] | None = None

    async def ask(self, question: Question) -> Answer:
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, answer))
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask_all())
        return await answer

    async def _ask_all(self) -> None:
        try:
            while self._waiting:
                taken, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
                await self._ask(taken)
        finally:
            self._asking = None

    async def _ask(self, taken: Sequence[tuple[Question, asyncio.Future[Answer]]]) -> None:
        try:
            answers = await asyncio.to_thread(self._answer_all, [each for each, _ in taken])
        except Exception as error:  # noqa: BLE001 - it is raised where it was asked
            await self._ask_apart(taken, error)
        else:
            for (_, future), answer in zip(taken, answers, strict=True):
                if not future.done():  # whoever asked may have been stopped
                    future.set_result(answer)

    async def _ask_apart(
        self, taken: Sequence[tuple[Question, asyncio.Future[Answer]]], error: Exception
    ) -> None:
        """One of them can't be answered: the others shall not suffer for it."""
        if len(taken) > 1:
            for each in taken:
                await self._ask([each])
        elif not taken[0][1].done():
            taken[0][1].set_exception(error)
