"""The server: it reads a request, lets its mind answer, and spoils the answer where it was told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, Final

import msgspec

from leasehold.kit.servers import LocalServer, Refused, Reply, Request, Shape, Trouble
from leasehold.kit.servers.trouble import CUT, REPLIES, Troubles
from leasehold_memory.model.asking import Ask
from leasehold_memory.servers import embeddings
from leasehold_memory.servers.completing import Asked, complete, write
from leasehold_memory.servers.controls import Controls
from leasehold_memory.servers.spoiling import SPOILED, spoil

MODEL: Final = "rules-1"
DIMENSION: Final = 256
CHAT = "/v1/chat/completions"
EMBEDDINGS = "/v1/embeddings"
MODELS = "/v1/models"
_VECTORS = "embeddings"


class ModelServer(Controls, LocalServer):
    """A model on this machine, from `with` to its end. Presets name it by `base_url`."""

    name = "model"
    shape = Shape(items=("data", "choices"), more=lambda _page: None)

    def __init__(
        self, *, port: int = 0, key: str = "", dimension: int = DIMENSION, pause: float = 0.0
    ) -> None:
        super().__init__(port=port)
        self.base_url = f"{self.url}/v1"
        self.key = key
        self.dimension = dimension
        self._pause = pause
        self._own = self._no_troubles()
        self._asked: Counter[str] = Counter()

    def answer(self, request: Request) -> Reply:
        self._check_key(request)
        routes: dict[tuple[str, str], Callable[[Request], Reply]] = {
            ("POST", CHAT): self._chat,
            ("POST", EMBEDDINGS): self._embed,
            ("GET", MODELS): self._models,
        }
        route = routes.get((request.method, request.path))
        if route is None:
            raise Refused(self.problem(404))
        try:
            return route(request)
        except msgspec.MsgspecError:
            raise Refused(self.problem(400)) from None

    def problem(self, status: int, retry_after: float | None = None) -> Reply:
        error = {"message": f"status {status}", "type": "error", "code": None}
        headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
        return Reply(status=status, body=msgspec.json.encode({"error": error}), headers=headers)

    def _check_key(self, request: Request) -> None:
        if self.key and request.headers.get("authorization", "") != f"Bearer {self.key}":
            raise Refused(self.problem(401))

    def _chat(self, request: Request) -> Reply:
        asked = msgspec.json.decode(request.body, type=Asked)
        self._asked[asked.what] += 1

        def send(how: str) -> Reply:
            written = complete(asked)
            return write(asked, spoil(written, how) if how else written, MODEL, self._pause)

        return self._met(self._own.next(f"{CHAT}#{asked.what}"), send)

    def _embed(self, request: Request) -> Reply:
        asked = msgspec.json.decode(request.body, type=embeddings.Asked)
        self._asked[_VECTORS] += 1
        return self._met(
            self._own.next(f"{EMBEDDINGS}#"),
            lambda how: embeddings.answer(asked, self.dimension, how),
        )

    def _met(self, trouble: Trouble | None, send: Callable[[str], Reply]) -> Reply:
        """Answer, with what the question was to meet; `send` knows what only models do."""
        match trouble:
            case None:
                return send("")
            case Trouble(how=int(status), retry_after=after):
                return self.problem(status, after)
            case Trouble(how=how) if how in REPLIES:
                return REPLIES[str(how)]
            case Trouble(how=how) if how in CUT:
                return CUT[str(how)](send(""))
            case Trouble(how=how):
                return send(str(how))

    def _models(self, _request: Request) -> Reply:
        listed = [{"id": MODEL, "object": "model", "owned_by": "leasehold"}]
        return Reply(body=msgspec.json.encode({"object": "list", "data": listed}))

    # -- controls ----------------------------------------------------------------------------------
    def do_fail(self, *, what: str = "", **trouble: Any) -> None:
        """Keep what one question is to meet, and what only a model can do, apart from the rest."""
        how = trouble["how"]
        if what == _VECTORS or how in embeddings.SPOILED:
            self._keep(trouble, f"{EMBEDDINGS}#", embeddings.SPOILED)
        elif what or how in SPOILED:
            if what and what not in set(Ask):
                known = sorted([*Ask, _VECTORS])
                raise ValueError(f"nobody asks {what!r}; it is one of {known}")
            self._keep(trouble, f"{CHAT}#{what}", SPOILED)
        else:
            super().do_fail(**trouble)

    def _keep(self, trouble: dict[str, Any], path: str, own: Collection[str]) -> None:
        how = trouble["how"]
        if isinstance(how, str) and how not in {*own, *REPLIES, *CUT}:
            raise ValueError(f"unknown trouble {how!r}; it is a status or one of {sorted(own)}")
        self._own.add(Trouble(**{**trouble, "path": path}))

    def do_recover(self) -> None:
        self._own = self._no_troubles()
        self._troubles = Troubles(self.own_trouble)
        self._delays.clear()

    def do_pace(self, pause: float) -> None:
        self._pause = pause

    def do_asked(self, what: str) -> int:
        return self._asked[what] if what else self._asked.total()

    @staticmethod
    def _no_troubles() -> Troubles:
        known = {*SPOILED, *embeddings.SPOILED}
        return Troubles(lambda how: Reply() if how in known else None)
