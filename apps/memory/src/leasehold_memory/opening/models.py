"""The model that is active by the settings, whichever that is at the moment."""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING

import msgspec

import leasehold as lh
from leasehold_memory.llm import Llm
from leasehold_memory.model.presets import ModelPreset, Provider
from leasehold_memory.servers import ModelServer

if TYPE_CHECKING:
    from leasehold_memory.settings import Settings

_KEY_BYTES = 24


class Models:
    """Gives the active model. Any thread may ask; one `Models` serves all memories of a process.

    Who got a model before a change may use it to the end: all are closed together.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._llms: dict[ModelPreset, Llm] = {}
        self._server: ModelServer | None = None

    def llm(self) -> Llm:
        """Return the model of the preset that is active now."""
        preset = self._settings.current().model
        with self._lock:
            found = self._llms.get(preset)
            if found is None:
                found = self._llms[preset] = Llm(self._reachable(preset))
            return found

    def close(self) -> None:
        """Hang up. Safe twice."""
        with self._lock:
            llms, server = list(self._llms.values()), self._server
            self._llms.clear()
            self._server = None
        for llm in llms:
            llm.close()
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
