"""The library of links: how fast pages are read and links enriched, and who waits for whom."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import leasehold as lh
from bench import probes
from bench.fleet import STOP_SECONDS, BenchFailed
from leasehold.kit.data import Database as Library
from leasehold_links.data.migrating import MIGRATIONS
from leasehold_links.pages.challenges import is_challenge
from leasehold_links.pages.charset import decode_page
from leasehold_links.pages.metadata import read_page
from leasehold_links.tasks import import_file
from tests.links.jobs.kit import begin_import
from tests.links.many_web import FILLER, PAGE, ManyWeb

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.database import Database, Figures, Size

DOMAINS = 100
MOST_SECONDS = 600.0
_LOOK_SECONDS = 0.05
_BIG = "big.test"
_SIZES = (1, 4, 12)  # of pages: some 15, 37 and 96 KB


def extract(_database: Database, size: Size) -> Figures:
    """Read what pages of 15 to 100 KB say of themselves: decode, parse, and look for challenges."""
    pages = [PAGE.format(title=f"Page {each}").replace(FILLER, FILLER * each) for each in _SIZES]
    bodies = [page.encode() for page in pages]
    started = time.process_time()
    for number in range(size.jobs):
        _read(bodies[number % len(bodies)])
    seconds = time.process_time() - started
    mean = statistics.mean(map(len, bodies))
    return {"pages_per_second": size.jobs / seconds, "page_kb": mean / 1024}


def _read(body: bytes) -> None:
    text = decode_page(body, "text/html; charset=utf-8")
    found = read_page(text, "https://example.com/a/page")
    if is_challenge({}, "https://example.com/a/page", text, found.title) or not found.title:
        raise BenchFailed("a page was not read")


def enrich_links(database: Database, size: Size) -> Figures:
    """Enrich links of 100 domains with one worker, ten at once."""
    with ManyWeb() as web:
        hosts = [f"d{each % DOMAINS}.test" for each in range(size.jobs)]
        _import(database.url, [web.url(host, f"/{each}") for each, host in enumerate(hosts)])
        cpu = _work(database, web, size.jobs, processes=1)
        seen = web.record()
    seconds = max(seen.ended.values()) - seen.began
    return {
        "pages_per_second": size.jobs / seconds,
        "worker_cpu_us_per_page": cpu / size.jobs * 1e6,
        "most_at_once": max(seen.most.values()),
    }


def enrich_beside(database: Database, size: Size) -> Figures:
    """Enrich a link of each domain beside many of one, which came first, with four workers."""
    with ManyWeb() as web:
        big = [web.url(_BIG, f"/{each}") for each in range(size.beside)]
        small = [web.url(f"d{each}.test") for each in range(size.jobs)]
        _import(database.url, big + small)
        _work(database, web, len(big) + len(small), processes=4)
        seen = web.record()
    ends = sorted(at - seen.began for name, at in seen.ended.items() if name != _BIG)
    whole = max(seen.ended.values()) - seen.began
    return {
        "pages_per_second": (len(big) + len(small)) / whole,
        "most_at_once": max(seen.most.values()),
        "small_half_seconds": statistics.median(ends),
        "small_all_seconds": ends[-1],
        "big_seconds": seen.ended.get(_BIG, seen.began) - seen.began,
    }


def _import(url: str, urls: Sequence[str]) -> None:
    entries = "".join(f'<DT><A HREF="{each}">x</A>' for each in urls)
    text = f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>{entries}</DL>"
    with lh.Client(url) as client, closing(Library(url)) as library:
        MIGRATIONS.migrate(client)
        begin_import(client, library, text.encode())
        lh.Worker(client, [import_file]).run(until_empty=True)


def _work(database: Database, web: ManyWeb, links: int, *, processes: int) -> float:
    """Let workers enrich all; returns their CPU seconds from the first answer on."""
    words = [sys.executable, "-m", "leasehold_links.cli", "work", "--log-level", "warning"]
    environment = {**os.environ, **web.environment, "LEASEHOLD_URL": database.url}
    workers = [
        subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL)
        for _ in range(processes)
    ]
    try:
        _wait(workers, lambda: bool(web.record().pages))
        before = sum(probes.cpu_seconds(each.pid) for each in workers)
        # One more: the import has succeeded, too.
        _wait(workers, lambda: database.count_outcomes().get("succeeded", 0) > links)
        return sum(probes.cpu_seconds(each.pid) for each in workers) - before
    finally:
        for each in workers:
            each.terminate()
        for each in workers:
            each.wait(STOP_SECONDS)


def _wait(workers: Sequence[subprocess.Popen[bytes]], is_reached: Callable[[], bool]) -> None:
    give_up = time.monotonic() + MOST_SECONDS
    while not is_reached():
        if any(each.poll() is not None for each in workers):
            raise BenchFailed("a worker process ended too soon")
        if time.monotonic() > give_up:
            raise BenchFailed(f"not done after {MOST_SECONDS:.0f} s")
        time.sleep(_LOOK_SECONDS)
