"""The models that fill memories: the active one that answers, and those that make vectors."""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING

import msgspec

import leasehold as lh
from leasehold_memory.embedding import embedder_of
from leasehold_memory.llm import Llm
from leasehold_memory.model.presets import EmbeddingPreset, ModelPreset, Provider
from leasehold_memory.servers import ModelServer

if TYPE_CHECKING:
    from leasehold_memory.embedding import Embedder
    from leasehold_memory.settings import Settings

_KEY_BYTES = 24


class Models:
    """Gives models to all memories of a process. Any thread may ask.

    Who got a model before a change may use it to the end: all are closed together.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._llms: dict[ModelPreset, Llm] = {}
        self._embedders: dict[EmbeddingPreset | Provider, Embedder] = {}
        self._server: ModelServer | None = None

    def llm(self) -> Llm:
        """Return the model of the preset that is active now."""
        return self.llm_of(self._settings.current().model)

    def llm_of(self, preset: ModelPreset) -> Llm:
        """Return the model of this preset."""
        with self._lock:
            found = self._llms.get(preset)
            if found is None:
                found = self._llms[preset] = Llm(self._reachable(preset))
            return found

    def embedder(self, preset: EmbeddingPreset) -> Embedder:
        """Return what makes a preset's vectors; all local presets share one process for it."""
        key = preset.provider if preset.provider is Provider.LOCAL else preset
        with self._lock:
            found = self._embedders.get(key)
            if found is None:
                found = self._embedders[key] = embedder_of(preset)
            return found

    def close(self) -> None:
        """Hang up, and end the processes that were started. Safe twice."""
        with self._lock:
            closing: list[Llm | Embedder] = [*self._llms.values(), *self._embedders.values()]
            server, self._server = self._server, None
            self._llms.clear()
            self._embedders.clear()
        for each in closing:
            each.close()
        if server is not None:
            server.stop()

    def _reachable(self, preset: ModelPreset) -> ModelPreset:
        """Give a local model the address of the server in this process, which starts now."""
        if preset.provider is not Provider.LOCAL:
            return preset
        if self._server is None:
            # With a key: other programs of this machine have no business there.
            self._server = ModelServer(key=secrets.token_urlsafe(_KEY_BYTES))
            self._server.keeps_requests = False
            self._server.start()
        return msgspec.structs.replace(
            preset, base_url=self._server.base_url, api_key=lh.Secret(self._server.key)
        )
