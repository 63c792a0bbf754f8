"""A large file is read by a process of its own: the same lines, and never half of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from leasehold_links.bookmarks.beside import reading_beside
from leasehold_links.bookmarks.decoding import in_chunks
from leasehold_links.bookmarks.lines import Line, read_steps
from leasehold_links.bookmarks.values import NotBookmarks
from leasehold_links.errors import ReaderDied
from tests.faults.waiting import wait_for
from tests.links.dialects import CHROME, FIREFOX
from tests.links.large import Large
from tests.links.readers import readers

WAIT_SECONDS = 20.0


def read(chunks: list[bytes], start: int = 0) -> list[list[Line]]:
    with reading_beside(chunks, start) as steps:
        return list(steps)


@pytest.mark.parametrize("start", [0, 1_500])
def test_it_reads_what_would_be_read_here(start: int) -> None:
    chunks = list(Large(lines=4_000).chunks())
    assert read(chunks, start) == list(read_steps(chunks, start))


@pytest.mark.parametrize("text", [CHROME, FIREFOX], ids=["chrome", "firefox"])
def test_every_field_of_an_entry_comes_through(text: str) -> None:
    chunks = list(in_chunks(text.encode()))
    assert read(chunks) == list(read_steps(chunks, 0))


def test_what_is_no_bookmark_file_is_refused_with_its_reason() -> None:
    with pytest.raises(NotBookmarks) as caught:
        read([b'{"roots": {}}'])
    assert caught.value.reason == "json"


def test_a_reader_that_dies_is_no_end_of_the_file() -> None:
    with reading_beside(Large(lines=40_000).chunks(), 0) as steps:
        next(steps)
        (reader,) = readers()
        os.kill(reader, 9)
        with pytest.raises(ReaderDied):
            list(steps)


def test_a_file_that_can_not_be_given_whole_is_not_read_as_a_shorter_one() -> None:
    def chunks() -> Iterator[bytes]:
        yield CHROME.encode()
        raise OSError("the database is away")

    with reading_beside(chunks(), 0) as steps, pytest.raises(OSError, match="away"):
        list(steps)


def test_who_stops_early_leaves_no_process() -> None:
    with reading_beside(Large(lines=40_000).chunks(), 0) as steps:
        next(steps)
    assert not readers()


_READING = """
import sys, time
from leasehold_links.bookmarks.beside import reading_beside
from tests.links.large import Large
with reading_beside(Large(lines=40_000).chunks(), 0) as steps:
    next(steps)
    print("reading", flush=True)
    time.sleep(600)
"""


def test_a_reader_ends_with_a_worker_that_is_killed() -> None:
    words = [sys.executable, "-c", _READING]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "reading\n"
        (reader,) = readers(worker.pid)
        worker.kill()
    wait_for("end", lambda: not _is_there(reader), WAIT_SECONDS)


def _is_there(pid: int) -> bool:
    """Whether it runs; one that has ended and that nobody has asked for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
