"""Good files with some bytes changed: each is read or refused, and never anything else."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting import sniff
from leasehold_documents.extracting.bounds import Bounds
from leasehold_documents.extracting.builtin import BuiltIn
from tests.documents.extracting import papers
from tests.documents.extracting.processes import nursery

SEED = int(os.environ.get("LEASEHOLD_TEST_SEED", "1"))
TIMES = int(os.environ.get("LEASEHOLD_TEST_MUTANTS", "5"))
MAKERS: dict[str, Callable[[Path], Path]] = {
    "pdf": lambda path: papers.pdf(path, ["Vertrag\nMit etwas Text. " * 3] * 2),
    "locked pdf": lambda path: papers.pdf(path, ["Geheim"], password="x"),
    "form": lambda path: _written(path, papers.form("Erika")),
    "docx": papers.word,
    "xlsx": papers.sheet,
    "locked xlsx": lambda path: papers.sheet(path, password="x"),
    "pptx": papers.slides,
    "odt": papers.open_text,
    "ods": papers.open_sheet,
    "png": lambda path: _pictured(path, "PNG"),
    "tiff": lambda path: _pictured(path, "TIFF"),
    "rtf": lambda path: _written(path, rb"{\rtf1\ansi\ansicpg1252 Gr\'fc\'dfe\par \u228?b}"),
    "html": lambda path: _written(path, b"<html><head><meta charset=x></head><p>Text<ul><li>A"),
    "mail": lambda path: _written(path, b"From: a\nTo: b\nSubject: =?utf-8?q?=C3=A4?=\n\nText"),
}


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def _pictured(path: Path, kind: str) -> Path:
    papers.picture("Text").save(path, kind)
    return path


def mutants(data: bytes, chance: random.Random) -> Iterator[bytes]:
    """Flip, cut, double and overwrite some of its bytes."""
    for _ in range(TIMES):
        mutant = bytearray(data)
        for _ in range(chance.randint(1, 20)):
            at = chance.randrange(len(mutant)) if mutant else 0
            match chance.randrange(4):
                case 0:
                    mutant[at : at + 1] = bytes(b ^ 16 for b in mutant[at : at + 1])
                case 1:
                    mutant[at : at + 4] = chance.randbytes(4)
                case 2:
                    mutant[at:at] = mutant[at : at + 100]
                case _:
                    del mutant[at : at + chance.randint(1, 50)]
        yield bytes(mutant)


@pytest.fixture(scope="module")
def careful() -> Iterator[BuiltIn]:
    opened = BuiltIn(Bounds(cpu_seconds=5.0, seconds=20.0))
    yield opened
    opened.close()


@pytest.mark.parametrize("name", MAKERS)
def test_a_mutant_is_read_or_refused_and_the_nursery_lives(
    careful: BuiltIn, tmp_path: Path, name: str
) -> None:
    data = MAKERS[name](tmp_path / "good").read_bytes()
    careful.inspect(papers.pdf(tmp_path / "warm", ["Text"]))
    before, codes = nursery(careful), set[str]()
    for mutant in mutants(data, random.Random(f"{SEED} {name}")):
        path = _written(tmp_path / "mutant", mutant)
        try:
            with path.open("rb") as file:
                kind = sniff(file)
            careful.inspect(path, password="x")
            careful.extract(path, media_type=kind.media_type, password="x")
        except Rejected as error:
            codes.add(error.code)
    assert all(code.isupper() for code in codes)
    assert nursery(careful) == before


@given(
    st.sampled_from([b"", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"<!DOCTYPE", b"BM"]),
    st.binary(max_size=3_000),
)
def test_whatever_comes_has_a_kind_or_is_refused(head: bytes, rest: bytes) -> None:
    try:
        kind = sniff(io.BytesIO(head + rest))
    except Rejected:
        return
    assert kind.media_type.count("/") == 1
