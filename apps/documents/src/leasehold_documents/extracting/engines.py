"""Which engine reads files here; one for all threads of a process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from leasehold_documents.extracting.bounds import Bounds
from leasehold_documents.extracting.builtin import BuiltIn
from leasehold_documents.extracting.elements import (
    LANGUAGES,
    Extracted,
    Inspection,
    PageRange,
    Strategy,
)
from leasehold_documents.settings import Settings, settings

_lock = threading.Lock()
_engines: dict[tuple[int, object], BuiltIn] = {}  # by process: a fork must not share its pipes


class Engine(Protocol):
    """Reads text out of files.

    `Rejected` is final; any other error may be gone at the next try. A range of `pages` without
    text is no error: only who sees all ranges can tell that there is none.
    """

    def extract(
        self,
        path: Path,
        *,
        media_type: str,
        strategy: Strategy = "fast",
        languages: tuple[str, ...] = LANGUAGES,
        password: str | None = None,
        pages: PageRange | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Extracted:
        """Read a file; `progress` is told pages done and pages in all, and may raise to stop."""


def engine_of(said: Settings) -> Engine:
    """Return the engine that the settings name; the same one for the same settings."""
    return builtin(_bounds(said))


def inspect(path: Path, *, password: str | None = None) -> Inspection:
    """Count a file's pages here, whoever extracts them; refuses what will never be read."""
    return builtin(_bounds(settings())).inspect(path, password=password)


def builtin(bounds: Bounds) -> BuiltIn:
    with _lock:
        return _engines.setdefault((os.getpid(), bounds), BuiltIn(bounds))


def _bounds(said: Settings) -> Bounds:
    return Bounds(memory_bytes=said.parser_bytes, cpu_seconds=said.parser_seconds)


def close_engines() -> None:
    """End this process's parsers. They are started again when needed."""
    with _lock:
        mine = [key for key in _engines if key[0] == os.getpid()]
        closing = [_engines.pop(key) for key in mine]
    for engine in closing:
        engine.close()
