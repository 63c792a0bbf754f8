"""Engines that do what a test wants, in place of the one that reads files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from leasehold_documents.extracting import Element, Extracted


class Scripted:
    """Does something before it returns a page of text; counts how often it was asked."""

    def __init__(self, act: Callable[[], object] = lambda: None, text: str = "Ein Text.") -> None:
        self._act = act
        self._text = text
        self.calls = 0

    def extract(self, _path: Path, **_options: Any) -> Extracted:
        self.calls += 1
        self._act()
        element = Element(type="NarrativeText", text=self._text, metadata={"page_number": 1})
        return Extracted(elements=[element], page_count=1, backend="scripted")


@contextmanager
def reading_with(engine: Scripted) -> Iterator[Scripted]:
    """Let attempts of this process use it."""
    with patch("leasehold_documents.running.reading.engine_of", lambda _settings: engine):
        yield engine
