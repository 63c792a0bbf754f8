"""Looks names up: once for each hop, on a thread that can be left behind."""

from __future__ import annotations

import asyncio
import queue
import socket
import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias

from leasehold.fetching.errors import FetchFailed, NameNotFound, TooSlow

# The addresses of a host, as text, for a connection to a port. It may block.
Resolver: TypeAlias = Callable[[str, int], Sequence[str]]
_Told: TypeAlias = Callable[[Sequence[str] | FetchFailed], None]


def system_resolver(host: str, port: int) -> list[str]:
    """Ask the system, as every other program does: hosts file, DNS, whatever it is set up for."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


class Lookups:
    """Lookups that have begun; one that hangs can't be stopped, so only so many may hang."""

    def __init__(self, resolver: Resolver, *, most: int = 64) -> None:
        self._resolver = resolver
        self._free = threading.BoundedSemaphore(most)

    def wait(self, url: str, host: str, port: int, seconds: float) -> Sequence[str]:
        answers: queue.SimpleQueue[Sequence[str] | FetchFailed] = queue.SimpleQueue()
        self._begin(url, host, port, answers.put)
        try:
            answer = answers.get(timeout=seconds)
        except queue.Empty:
            raise _unanswered(url, seconds) from None
        return _result(answer)

    async def wait_async(self, url: str, host: str, port: int, seconds: float) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Sequence[str] | FetchFailed] = loop.create_future()

        def tell(answer: Sequence[str] | FetchFailed) -> None:
            try:
                loop.call_soon_threadsafe(_settle, answered, answer)
            except RuntimeError:
                return  # the loop has ended meanwhile

        self._begin(url, host, port, tell)
        try:
            async with asyncio.timeout(seconds):
                answer = await answered
        except TimeoutError:
            raise _unanswered(url, seconds) from None
        return _result(answer)

    def _begin(self, url: str, host: str, port: int, tell: _Told) -> None:
        if not self._free.acquire(blocking=False):
            raise NameNotFound(url, "too many lookups hang already")
        target = self._look_up
        name = "leasehold-lookup"
        threading.Thread(
            target=target, args=(url, host, port, tell), name=name, daemon=True
        ).start()

    def _look_up(self, url: str, host: str, port: int, tell: _Told) -> None:
        answer: Sequence[str] | FetchFailed
        try:
            answer = self._resolver(host, port)
        except (OSError, UnicodeError) as error:
            answer = NameNotFound(url, f"its name can't be resolved: {error}")
        except Exception as error:  # noqa: BLE001 - a resolver of the caller's may raise anything
            answer = NameNotFound(url, f"its name can't be resolved: {type(error).__name__}")
        finally:
            self._free.release()
        tell(answer)


def _settle(
    answered: asyncio.Future[Sequence[str] | FetchFailed], answer: Sequence[str] | FetchFailed
) -> None:
    if not answered.done():
        answered.set_result(answer)


def _unanswered(url: str, seconds: float) -> TooSlow:
    return TooSlow(url, f"its name was not resolved within {seconds:.3g} seconds")


def _result(answer: Sequence[str] | FetchFailed) -> Sequence[str]:
    if isinstance(answer, FetchFailed):
        raise answer
    return answer
