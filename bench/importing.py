"""Links: imports of large bookmark files, from the first byte of the upload to the last link."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import leasehold as lh
from bench import probes
from bench.fleet import BenchFailed
from leasehold.kit.data import Database as Library
from leasehold_links.data.migrating import MIGRATIONS
from leasehold_links.data.progress import import_of
from leasehold_links.exporting import export_bookmarks
from leasehold_links.uploading import cancel_import, start_import
from tests.links.large import Large

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from uuid import UUID

    from bench.database import Database, Figures, Size

_LOOK_SECONDS = 0.05
_MOST_SECONDS = 600.0
_USER = "ada"


class Import:
    """One import that somebody watches."""

    def __init__(self, client: lh.Client, library: Library, chunks: list[bytes]) -> None:
        self._client = client
        self._library = library
        self.began = time.perf_counter()
        self.id: UUID = start_import(client, library, _USER, "large.html", chunks)
        self.upload_seconds = time.perf_counter() - self.began

    def wait_for(self, is_reached: Callable[[dict[str, Any]], bool]) -> float:
        """Look until it is so; returns the seconds since the upload began."""
        while not is_reached(row := self.row()):
            if row["status"] == "failed" or time.perf_counter() > self.began + _MOST_SECONDS:
                raise BenchFailed(f"the import stands at {row}")
            time.sleep(_LOOK_SECONDS)
        return time.perf_counter() - self.began

    def row(self) -> dict[str, Any]:
        """Look as the page does."""
        with self._library.browse() as connection:
            row = import_of(connection, _USER, self.id)
        if row is None:
            raise BenchFailed(f"there is no import {self.id}")
        return row


def import_links(database: Database, size: Size) -> Figures:
    """Import so many lines, and the same file again, into a library with a worker beside it."""
    file = Large(lines=size.jobs)
    chunks = list(file.chunks())
    with _opened(database) as (client, library), _worker(database.url) as process:
        _warm_up(client, library)
        before, cpu = probes.memory(process.pid), probes.cpu_seconds(process.pid)
        database_cpu = database.cpu_seconds()
        one = Import(client, library, chunks)
        first = one.wait_for(lambda row: row["processed_items"] > 0)
        seconds = one.wait_for(lambda row: row["status"] == "succeeded")
        figures = {
            "megabytes": sum(map(len, chunks)) / 1e6,
            "seconds": seconds,
            "upload_seconds": one.upload_seconds,
            "first_progress_seconds": first - one.upload_seconds,
            "links_per_second": size.jobs / seconds,
            "worker_cpu_seconds": probes.cpu_seconds(process.pid) - cpu,
            "worker_more_mb": probes.memory(process.pid).peak_mb - before.now_mb,
        }
        if database_cpu is not None:
            figures["database_cpu_seconds"] = (database.cpu_seconds() or 0.0) - database_cpu
        _check(library, file)
        again = Import(client, library, chunks)
        figures["again_seconds"] = again.wait_for(lambda row: row["status"] == "succeeded")
        _check(library, file)
        started = time.perf_counter()
        written = sum(map(len, export_bookmarks(library, _USER)))
        figures["export_seconds"] = time.perf_counter() - started
        figures["export_megabytes"] = written / 1e6
    return figures


def cancel_links(database: Database, size: Size) -> Figures:
    """Cancel an import in its middle: how long until it has ended."""
    chunks = list(Large(lines=size.jobs).chunks())
    with _opened(database) as (client, library), _worker(database.url):
        one = Import(client, library, chunks)
        one.wait_for(lambda row: row["processed_items"] * 4 >= size.jobs)
        asked = time.perf_counter()
        cancel_import(client, library, _USER, one.id)
        ended = one.wait_for(lambda row: row["status"] in ("canceled", "succeeded"))
    return {"cancel_seconds": one.began + ended - asked}


@contextmanager
def _opened(database: Database) -> Iterator[tuple[lh.Client, Library]]:
    with lh.Client(database.url) as client, closing(Library(database.url)) as library:
        MIGRATIONS.migrate(client)
        yield client, library


@contextmanager
def _worker(url: str) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-m", "bench.importing_worker", url]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        if process.stdout.readline() != "ready\n":
            raise BenchFailed("the worker process died")
        yield process
    finally:
        process.terminate()
        process.communicate()


def _warm_up(client: lh.Client, library: Library) -> None:
    """Let the worker have read what it reads once: the list of public suffixes above all."""
    small = Import(client, library, [b'<DL><DT><A HREF="https://www.example.com/">x</A></DL>'])
    small.wait_for(lambda row: row["status"] == "succeeded")


def _check(library: Library, file: Large) -> None:
    with library.read() as connection:
        links = connection.exec_driver_sql("SELECT count(*) FROM links_link").scalar_one()
    if links != file.imported + 1:
        raise BenchFailed(f"{links} links are there, not {file.imported + 1}")
