"""What tests and the demo say to a local server, wherever it runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import msgspec


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A request that was answered."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    status: int


class Controls(ABC):
    """The same words for a server in this process and for one in another."""

    @abstractmethod
    def do(self, verb: str, **arguments: Any) -> Any:
        """Do what one of the methods below says."""

    def fail(
        self,
        how: int | str,
        *,
        times: int = 1,
        path: str = "",
        skip: int = 0,
        retry_after: float | None = None,
    ) -> None:
        """Let something go wrong with the next requests; `how` is a status or a name of trouble."""
        self.do("fail", how=how, times=times, path=path, skip=skip, retry_after=retry_after)

    def delay(self, seconds: float, path: str = "") -> None:
        """Let answers take that long from now on, for paths that begin so."""
        self.do("delay", seconds=seconds, path=path)

    def limit(self, requests: int, seconds: float) -> None:
        """Allow so many requests in a window of that length; 0 takes the limit off."""
        self.do("limit", requests=requests, seconds=seconds)

    def advance(self, seconds: float) -> None:
        """Move the server's clock on."""
        self.do("advance", seconds=seconds)

    def count(self, what: str = "") -> int:
        """Return how many requests were answered: `GET /v1/customers`, or all."""
        number: int = self.do("count", what=what)
        return number

    def seen(self) -> list[Seen]:
        """Return the last requests, the oldest first."""
        return msgspec.convert(self.do("seen"), list[Seen])
