"""One attempt at a job: whose memory it fills, and how its rows and its end become one commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import leasehold as lh
from leasehold_memory.opening import memory_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.llm import Prompt
    from leasehold_memory.model.answers import Answer

A = TypeVar("A", bound="Answer")


class Attempt:
    """What a handler works with. Nothing is written but by `writing`.

    Before each step it gives way to who chats: they share one interpreter.
    """

    def __init__(self, job: Any) -> None:
        self.job = job
        self.memory = memory_of(job.client)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Look at the memory as it is."""
        with self.memory.courtesy.working(), self.memory.database.read() as connection:
            yield connection

    def ask(self, shape: type[A], prompt: Prompt) -> A:
        """Ask the model that the settings name now; nobody waits for a lock meanwhile."""
        self.memory.courtesy.give_way()
        return self.memory.models.llm().ask_json(shape, prompt, what=prompt.ask.value)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Write and end the job in one commit, or not at all: it may be another's by now."""
        with self.memory.courtesy.working(), self.job.transaction() as connection:
            yield self.memory.database.joined(connection)


def this_attempt() -> Attempt:
    """Return the attempt whose handler runs."""
    return Attempt(lh.current_job())
