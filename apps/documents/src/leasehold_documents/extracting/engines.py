"""Which engine reads files here; one for all threads of a process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar, cast

from leasehold_documents.extracting.bounds import Bounds
from leasehold_documents.extracting.builtin import BuiltIn
from leasehold_documents.extracting.elements import (
    LANGUAGES,
    Extracted,
    Inspection,
    PageRange,
    Strategy,
)
from leasehold_documents.extracting.unstructured import Unstructured
from leasehold_documents.settings import Settings, settings

_lock = threading.Lock()
# By process: a fork must not share its parent's pipes and connections.
_engines: dict[tuple[int, object], BuiltIn | Unstructured] = {}
E = TypeVar("E", BuiltIn, Unstructured)


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
    if not said.extraction_url:
        return builtin(_bounds(said))
    local = builtin(_bounds(said))
    named = (said.extraction_url, said.extraction_key, said.extraction_seconds)
    return _kept(
        (named, _bounds(said)),
        lambda: Unstructured(named[0], named[1], seconds=named[2], local=local),
    )


def inspect(path: Path, *, password: str | None = None) -> Inspection:
    """Count a file's pages here, whoever extracts them; refuses what will never be read."""
    return builtin(_bounds(settings())).inspect(path, password=password)


def builtin(bounds: Bounds) -> BuiltIn:
    """Return this process's engine with these bounds."""
    return _kept(bounds, lambda: BuiltIn(bounds))


def _kept(key: object, make: Callable[[], E]) -> E:
    with _lock:
        found = _engines.get((os.getpid(), key))
        if found is None:
            found = _engines[os.getpid(), key] = make()
        return cast("E", found)


def _bounds(said: Settings) -> Bounds:
    return Bounds(memory_bytes=said.parser_bytes, cpu_seconds=said.parser_seconds)


def close_engines() -> None:
    """End this process's parsers. They are started again when needed."""
    with _lock:
        mine = [key for key in _engines if key[0] == os.getpid()]
        closing = [_engines.pop(key) for key in mine]
    for engine in closing:
        engine.close()
