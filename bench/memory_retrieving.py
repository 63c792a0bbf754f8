"""Memory: how long it takes to find what is known about a question, beside very many units."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from bench.fleet import BenchFailed
from bench.memory_corpus import Speaker
from bench.memory_loading import load
from leasehold_memory.opening import open_memory
from leasehold_memory.retrieving import pack, retrieve
from leasehold_memory.settings import open_settings

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size

_QUESTIONS = 100
_BUDGET_TOKENS = 2_000


def retrieve_units(_database: Database, size: Size) -> Figures:
    """Ask questions of two to eight words; with the vectors in memory, and reading them first."""
    with ExitStack() as opened:
        home = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        settings = opened.enter_context(closing(open_settings(home)))
        memory = opened.enter_context(open_memory(home, settings.current().embedding, settings))
        speaker = Speaker(size.jobs)
        loading = _seconds(lambda: load(memory, speaker.episodes(size.jobs)))
        first = _seconds(lambda: retrieve(memory, speaker.question()))
        questions = [speaker.question() for _ in range(_QUESTIONS)]
        if not any(retrieve(memory, question) for question in questions[:10]):
            raise BenchFailed("nothing was found")
        find, fill = partial(retrieve, memory), partial(pack, memory, budget_tokens=_BUDGET_TOKENS)
        found = [1000 * _seconds(partial(find, question)) for question in questions]
        packed = [1000 * _seconds(partial(fill, question)) for question in questions]
    return {
        "units": size.jobs,
        "load_seconds": loading,
        "first_ms": 1000 * first,
        "p50_ms": median(found),
        "p95_ms": quantiles(found, n=20)[-1],
        "max_ms": max(found),
        "pack_p50_ms": median(packed),
        "pack_p95_ms": quantiles(packed, n=20)[-1],
    }


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
