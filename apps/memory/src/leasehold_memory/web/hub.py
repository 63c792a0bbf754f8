"""What all requests share: the companion with its memories, open streams, what was logged."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeAlias, TypeVar

from fastapi import Depends, Request

from leasehold.kit.web import Following
from leasehold_memory.errors import MemoryAppError
from leasehold_memory.opening import Memory
from leasehold_memory.settings import Settings, Snapshot
from leasehold_memory.web.logs import Logs

if TYPE_CHECKING:
    from sqlalchemy import Connection

T = TypeVar("T")


class Companion(Protocol):
    """Keeps the memory of the active preset open, with its worker."""

    @property
    def settings(self) -> Settings: ...

    def start(self) -> None: ...

    def close(self) -> None: ...

    def current(self, preset_id: str | None = None) -> AbstractContextManager[Memory]: ...

    def change(self, fields: Any) -> Snapshot: ...

    def health(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Hub:
    """The memories of one home."""

    companion: Companion
    following: Following = field(default_factory=Following)
    logs: Logs = field(default_factory=Logs)

    def start(self) -> None:
        self.logs.start()
        self.companion.start()
        threading.Thread(target=self._warm_up, daemon=True).start()

    def close(self) -> None:
        """Safe twice."""
        self.companion.close()
        self.logs.stop()

    def memory(self, preset_id: str | None = None) -> AbstractContextManager[Memory]:
        """Lend a preset's memory, the active one's unless named, until the end of the `with`."""
        return self.companion.current(preset_id)

    def _warm_up(self) -> None:
        """Let what makes vectors be there before the first chat, which would wait for it."""
        with suppress(MemoryAppError, OSError), self.memory() as memory:
            memory.embedder.embed(["."])

    def read(
        self, look: Callable[..., T], *given: Any, preset_id: str | None = None, **named: Any
    ) -> T:
        """Look at a memory, in a transaction of its own: `look(connection, …)`."""
        connection: Connection
        with self.memory(preset_id) as memory, memory.database.browse() as connection:
            return look(connection, *given, **named)

    def write(
        self, change: Callable[..., T], *given: Any, preset_id: str | None = None, **named: Any
    ) -> T:
        """Change a memory, in one transaction: `change(connection, …)`."""
        connection: Connection
        with self.memory(preset_id) as memory, memory.database.write() as connection:
            return change(connection, *given, **named)


def get_hub(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


async def _hub(request: Request) -> Hub:
    return get_hub(request)  # no function, for which FastAPI would wait for a thread


OfHub: TypeAlias = Annotated[Hub, Depends(_hub)]
