"""Documents: what the parsers can do, without a queue around them."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bench import probes
from bench.documents_corpus import chunks
from bench.fleet import BenchFailed
from leasehold_documents.extracting import chunks_of
from leasehold_documents.extracting.builtin import BuiltIn
from tests.documents.extracting import papers

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size

_PDF = "application/pdf"
_CHUNKS = 3  # of text on each page


def parse_long(_database: Database, size: Size) -> Figures:
    """Read one PDF of so many pages, and cut it into chunks."""
    with TemporaryDirectory() as folder, closing(BuiltIn()) as engine:
        path = papers.pdf(Path(folder) / "long.pdf", _pages(size.jobs))
        engine.inspect(papers.pdf(Path(folder) / "warm.pdf", ["Warm"]))
        before, peak = probes.memory(_me()).now_mb, 0.0

        def look(_done: int, _total: int) -> None:
            nonlocal peak
            peak = max(peak, *(_peak_mb(each) for each in _readers(engine)), 0.0)

        started = time.perf_counter()
        read = engine.extract(path, media_type=_PDF, progress=look)
        seconds = time.perf_counter() - started
        cut = chunks_of(read.elements)
        with_chunks = time.perf_counter() - started
        figures = {
            "megabytes": path.stat().st_size / 1e6,
            "seconds": seconds,
            "seconds_with_chunks": with_chunks,
            "pages_per_second": read.page_count / seconds,
            "chunks": len(cut),
            "reader_peak_mb": peak,
            "worker_more_mb": probes.memory(_me()).peak_mb - before,
        }
    if read.page_count != size.jobs:
        raise BenchFailed(f"{read.page_count} pages of {size.jobs} were read")
    return figures


def parse_small(_database: Database, size: Size) -> Figures:
    """Read so many small PDFs one after the other, each by a process of its own."""
    with TemporaryDirectory() as folder, closing(BuiltIn()) as engine:
        path = papers.pdf(Path(folder) / "small.pdf", _pages(1))
        engine.inspect(path)
        started = time.perf_counter()
        for _ in range(size.jobs):
            engine.extract(path, media_type=_PDF)
        seconds = time.perf_counter() - started
    return {"pdfs_per_second": size.jobs / seconds, "ms_each": seconds / size.jobs * 1e3}


def recognize(_database: Database, size: Size) -> Figures:
    """Read so many scanned pages by Tesseract, one after the other."""
    with TemporaryDirectory() as folder, closing(BuiltIn()) as engine:
        text = "\n".join(chunks(Random(7), _CHUNKS))
        path = papers.scan(Path(folder) / "scan.pdf", text, pages=size.jobs)
        engine.inspect(path)
        started = time.perf_counter()
        read = engine.extract(path, media_type=_PDF, strategy="hi_res")
        seconds = time.perf_counter() - started
    characters = sum(len(each.text) for each in read.elements)
    return {"seconds_a_page": seconds / size.jobs, "characters_a_page": characters / size.jobs}


def _pages(count: int) -> list[str]:
    texts = chunks(Random(7), count * _CHUNKS)
    rows = [texts[at : at + _CHUNKS] for at in range(0, len(texts), _CHUNKS)]
    return [f"Seite {number}\n" + "\n\n".join(row) for number, row in enumerate(rows, 1)]


def _readers(engine: BuiltIn) -> list[int]:
    nursery = engine._asking._children._nursery
    if nursery is None:
        return []
    listed = Path(f"/proc/{nursery.pid}/task/{nursery.pid}/children").read_text()
    return [int(each) for each in listed.split()]


def _peak_mb(pid: int) -> float:
    """Return the most memory that a reader ever had; one that has just ended says nothing of it."""
    try:
        return probes.memory(pid).peak_mb
    except (KeyError, OSError):
        return 0.0


def _me() -> int:
    return int(Path("/proc/self").readlink().name)
