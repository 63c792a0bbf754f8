"""What all local servers have in common: a port, a rate window, trouble, and a memory."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable
from email.utils import formatdate
from itertools import islice
from typing import Any, ClassVar, Self, TypeVar

import msgspec

from leasehold.kit.servers.clock import Clock
from leasehold.kit.servers.controls import Controls, Seen
from leasehold.kit.servers.trouble import ECHO, REPLIES, STUCK, Shape, Trouble, Troubles, spoil
from leasehold.kit.servers.window import Window
from leasehold.kit.servers.wire import HOST, Listener, Reply, Request

CONTROL = "/_control"
_REMEMBERED = 20_000


class Refused(Exception):
    """The request is not answered; the reply says why, as this API would."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


class LocalServer(Controls):
    """An API on this machine, from `with` to its end. What it shows is its own matter."""

    name: ClassVar[str]
    shape: ClassVar[Shape]

    def __init__(self, *, port: int = 0) -> None:
        self.clock = Clock()
        self.on_request: Callable[[Request], None] | None = None
        self.is_controlled = False  # over HTTP, by whoever can reach it
        self.keeps_requests = True  # for `seen`; a server that people live with must not
        self._lock = threading.RLock()
        self._troubles = Troubles(self.own_trouble)
        self._delays: dict[str, float] = {}
        self.window = Window(self.clock)
        self._counts: Counter[str] = Counter()
        self._seen: deque[Seen] = deque(maxlen=_REMEMBERED)
        self._last: dict[str, Reply] = {}  # by path
        self._listener = Listener(self._answer, port)
        self.url = f"http://{HOST}:{self._listener.port}"

    @abstractmethod
    def answer(self, request: Request) -> Reply:
        """Answer a request as the API would; raise Refused for what it would not do."""

    @abstractmethod
    def problem(self, status: int, retry_after: float | None = None) -> Reply:
        """Return what the API says with this status."""

    def too_many(self, wait: float) -> Reply:
        """Return what the API says to who has used up his window, which ends in so many seconds."""
        return self.problem(429, wait)

    def own_trouble(self, _how: str) -> Reply | None:
        """Return what an API sends when something happens that no other one knows."""
        return None

    def start(self) -> None:
        self._listener.start()

    def stop(self) -> None:
        """Safe twice."""
        self._listener.stop()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def do(self, verb: str, **arguments: Any) -> Any:
        with self._lock:
            return getattr(self, f"do_{verb}")(**arguments)

    def do_fail(self, **trouble: Any) -> None:
        self._troubles.add(Trouble(**trouble))

    def do_delay(self, seconds: float, path: str) -> None:
        self._delays[path] = seconds

    def do_limit(self, requests: int, seconds: float) -> None:
        self.window.set(requests, seconds)

    def do_advance(self, seconds: float) -> None:
        self.clock.advance(seconds)

    def do_count(self, what: str) -> int:
        return self._counts[what] if what else self._counts.total()

    def do_seen(self) -> list[Seen]:
        return list(self._seen)

    def _answer(self, request: Request) -> Reply:
        with self._lock:
            if self.is_controlled and request.path == CONTROL:
                return self._controlled(request)
            if self.on_request is not None:
                self.on_request(request)
            reply = self._troubled(request)
            self._remember(request, reply)
            headers = {"Date": formatdate(self.clock.now(), usegmt=True)} | reply.headers
            after = self._delay_of(request.path)
            return msgspec.structs.replace(reply, headers=headers, after=after)

    def _troubled(self, request: Request) -> Reply:
        trouble = self._troubles.next(request.path)
        match trouble:
            case None:
                return self._limited(request)
            case Trouble(how=int(status), retry_after=after):
                return self.problem(status, after)
            case Trouble(how=how) if how == STUCK and request.path in self._last:
                return self._last[request.path]
            case Trouble(how=str(how)) if how in REPLIES:
                return self._instead(request, how)
            case Trouble(how=how):
                reply = self.own_trouble(str(how))
                return reply or spoil(self._limited(request), str(how), self.shape)

    def _instead(self, request: Request, how: str) -> Reply:
        """Return what comes in place of an answer. It was made all the same: scrolls went on."""
        self._limited(request)
        if how != ECHO:
            return REPLIES[how]
        said = request.headers.get("authorization", "")
        return msgspec.structs.replace(REPLIES[how], body=f"Who is {said}?".encode())

    def _limited(self, request: Request) -> Reply:
        wait = self.window.spend()
        if wait is not None:
            return self.too_many(wait)
        try:
            self._last[request.path] = reply = self.answer(request)
            return reply
        except Refused as refused:
            return refused.reply

    def _remember(self, request: Request, reply: Reply) -> None:
        self._counts[f"{request.method} {request.path}"] += 1
        if not self.keeps_requests:
            return
        self._seen.append(
            Seen(
                method=request.method,
                path=request.path,
                query=dict(request.query),
                headers=request.headers,
                body=request.body,
                status=reply.status,
            )
        )

    def _delay_of(self, path: str) -> float:
        """Return how long this path takes: the longest beginning that was named decides."""
        fitting = [begin for begin in self._delays if path.startswith(begin)]
        return self._delays[max(fitting, key=len)] if fitting else 0.0

    def _controlled(self, request: Request) -> Reply:
        call = msgspec.json.decode(request.body)
        try:
            result = self.do(call["verb"], **call["arguments"])
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            return Reply(status=400, body=str(error).encode())
        return Reply(body=msgspec.json.encode(result))


_T = TypeVar("_T")


def take(found: Iterable[_T], limit: int) -> tuple[list[_T], bool]:
    """Return the first so many of them, and whether there are more."""
    taken = list(islice(found, limit + 1))
    return taken[:limit], len(taken) > limit
