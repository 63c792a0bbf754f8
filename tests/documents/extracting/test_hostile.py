"""No file ends the process that reads files, let alone the worker; each has a code."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from leasehold_documents.errors import ParserLost, Rejected
from leasehold_documents.extracting import sniff
from leasehold_documents.extracting.bounds import Bounds
from leasehold_documents.extracting.builtin import BuiltIn
from leasehold_documents.extracting.elements import Strategy
from tests.documents.extracting import papers
from tests.documents.extracting.hostile import CORPUS
from tests.documents.extracting.processes import children, nursery


@pytest.fixture(scope="module")
def careful() -> Iterator[BuiltIn]:
    """An engine whose patience is short, so that the tests' is."""
    opened = BuiltIn(Bounds(cpu_seconds=3.0, seconds=20.0))
    yield opened
    opened.close()


def outcome(engine: BuiltIn, path: Path, strategy: Strategy) -> str:
    try:
        with path.open("rb") as file:
            kind = sniff(file)
        engine.inspect(path)
        engine.extract(path, media_type=kind.media_type, strategy=strategy)
    except Rejected as error:
        return error.code
    return ""


@pytest.mark.parametrize("strategy", ["fast", "hi_res"])
@pytest.mark.parametrize("name", CORPUS)
def test_a_hostile_file_has_its_code_and_ends_nothing_but_its_own_reader(
    careful: BuiltIn, tmp_path: Path, name: str, strategy: Strategy
) -> None:
    hostile = CORPUS[name]
    hostile.make(tmp_path / "hostile")
    good = papers.pdf(tmp_path / "good", ["Guter Text"])
    careful.inspect(good)
    before = nursery(careful)
    assert outcome(careful, tmp_path / "hostile", strategy) in hostile.codes
    assert nursery(careful) == before
    assert careful.extract(good, media_type="application/pdf").elements[0].text == "Guter Text"


def test_two_crashes_are_the_files_fault(engine: BuiltIn, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("Ein Satz mit Wörtern. " * 40_000)
    killed: list[int] = []

    def kill(_done: int, _total: int) -> None:
        running = children(nursery(engine))
        killed.extend(running)
        for process in running:
            os.kill(process, signal.SIGSEGV)

    with pytest.raises(Rejected) as refused:
        engine.extract(path, media_type="text/plain", progress=kill)
    assert refused.value.code == "PARSER_CRASH"
    assert "SIGSEGV" in refused.value.reason
    assert len(set(killed)) == 2


def test_one_crash_may_be_the_machines(engine: BuiltIn, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("Ein Satz mit Wörtern. " * 40_000)
    killed: list[int] = []

    def kill_once(_done: int, _total: int) -> None:
        if not killed:
            killed.extend(children(nursery(engine)))
            os.kill(killed[0], signal.SIGKILL)

    assert engine.extract(path, media_type="text/plain", progress=kill_once).page_count > 200


def test_too_much_memory_time_and_computing_each_end_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("<html>" + "<p>Ein Satz mit Wörtern.</p>" * 200_000)
    for bounds, reason in (
        (Bounds(memory_bytes=130 * 2**20), "memory"),
        (Bounds(cpu_seconds=0.1), "processor"),
        (Bounds(seconds=0.1), "long"),
    ):
        bounded = BuiltIn(bounds)
        try:
            with pytest.raises(Rejected) as refused:
                bounded.extract(path, media_type="text/html")
        finally:
            bounded.close()
        assert refused.value.code == "PARSER_CRASH"
        assert reason in refused.value.reason


def test_more_text_than_anybody_reads_is_refused_before_it_is_tidied(
    engine: BuiltIn, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"Ein Wort. " * 5_000_001)
    with pytest.raises(Rejected) as refused:
        engine.inspect(path)
    assert refused.value.code == "TEXT_TOO_LONG"


def test_who_stops_listening_ends_the_reader(engine: BuiltIn, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("Ein Satz mit Wörtern. " * 40_000)

    def stop(_done: int, _total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        engine.extract(path, media_type="text/plain", progress=stop)
    engine.inspect(papers.pdf(tmp_path / "b", ["Text"]))  # it has had the time to notice
    assert children(nursery(engine)) == []


def test_the_death_of_the_nursery_says_nothing_of_a_file(engine: BuiltIn, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("Ein Satz mit Wörtern. " * 40_000)

    def kill(_done: int, _total: int) -> None:
        os.killpg(nursery(engine), signal.SIGKILL)

    with pytest.raises(ParserLost):
        engine.extract(path, media_type="text/plain", progress=kill)
    assert engine.extract(path, media_type="text/plain").page_count > 200
