"""One attempt at a job: whose memory it fills, and how its rows and its end become one commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import event

import leasehold as lh
from leasehold_memory.opening import memory_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from leasehold_memory.llm import Prompt
    from leasehold_memory.model.answers import Answer

A = TypeVar("A", bound="Answer")


class Attempt:
    """What a handler works with. Nothing is written but by `writing`.

    Before each step, and between two statements, it gives way to who chats: they share one
    interpreter.
    """

    def __init__(self, job: Any) -> None:
        self.job = job
        self.memory = memory_of(job.client)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Look at the memory as it is."""
        with self.memory.courtesy.working() as rest, self.memory.database.read() as connection:
            yield _resting(connection, rest)

    def ask(self, shape: type[A], prompt: Prompt) -> A:
        """Ask the model that the settings name now; nobody waits for a lock meanwhile."""
        self.memory.courtesy.give_way()
        return self.memory.models.llm().ask_json(shape, prompt, what=prompt.ask.value)

    def embed(self, text: str) -> NDArray[np.float32]:
        """Make the vector of a text, behind the questions of those who chat."""
        self.memory.courtesy.give_way()
        vector: NDArray[np.float32] = self.memory.embedder.embed([text])[0]
        return vector

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Write and end the job in one commit, or not at all: it may be another's by now."""
        with self.memory.courtesy.working() as rest, self.job.transaction() as connection:
            yield _resting(self.memory.database.joined(connection), rest)


def _resting(connection: Connection, rest: Callable[[], None]) -> Connection:
    def before_cursor_execute(*_: object) -> None:
        rest()

    event.listen(connection, "before_cursor_execute", before_cursor_execute)
    return connection


def this_attempt() -> Attempt:
    """Return the attempt whose handler runs."""
    return Attempt(lh.current_job())
