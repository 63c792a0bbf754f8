"""Local vectors need no network, come from one process of their own, and outlive its loss."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from leasehold_memory.embedding import Embedder, LocalEmbedder, local
from leasehold_memory.errors import BadEmbedding, EmbedderLost
from tests.faults.waiting import wait_for

_PARENT = """
import sys
from leasehold_memory.embedding import LocalEmbedder
embedder = LocalEmbedder()
embedder.embed(["hello"])
print(embedder.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def embedder() -> Iterator[LocalEmbedder]:
    embedder = LocalEmbedder()
    yield embedder
    embedder.close()


def test_each_text_has_a_vector_of_length_one(embedder: Embedder) -> None:
    texts = [f"text {number}" for number in range(150)]
    rows = embedder.embed(texts)

    assert rows.shape == (150, 256)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == (0, 256)


def test_the_same_text_has_the_same_vector_whatever_stands_beside_it(embedder: Embedder) -> None:
    alone = embedder.embed(["my sister paints"])[0]

    assert np.array_equal(
        embedder.embed(["something long before it", "my sister paints"])[1], alone
    )


def test_texts_of_one_meaning_are_nearer_than_others(embedder: Embedder) -> None:
    dog, puppy, tax = embedder.embed(["I love dogs", "a puppy is cute", "the tax office"])
    kyoto, trip, rain = embedder.embed(["京都に行った", "京都の旅行", "雨が降った"])

    assert dog @ puppy > dog @ tax
    assert kyoto @ trip > kyoto @ rain


@pytest.mark.parametrize("text", ["the of and", "、。！", "😀", "𠮷", "\0", "\ud800"])
def test_whatever_is_said_has_a_vector(embedder: Embedder, text: str) -> None:
    assert np.isfinite(embedder.embed([text])).all()


def test_a_text_of_nothing_has_no_vector(embedder: Embedder) -> None:
    with pytest.raises(BadEmbedding, match="zero"):
        embedder.embed(["hello", ""])


def test_a_killed_process_is_started_again(embedder: LocalEmbedder) -> None:
    before = embedder.embed(["hello"])
    assert embedder.pid
    os.kill(embedder.pid, signal.SIGKILL)

    assert np.array_equal(embedder.embed(["hello"]), before)


def test_a_process_that_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(LocalEmbedder()) as embedder:
        before = embedder.embed(["hello"])
        hung = embedder.pid
        assert hung
        monkeypatch.setattr(local, "_PATIENCE_SECONDS", 4.0)
        os.kill(hung, signal.SIGSTOP)

        assert np.array_equal(embedder.embed(["hello"]), before)
        assert embedder.pid != hung


def test_threads_that_ask_at_once_get_their_own_answers(embedder: LocalEmbedder) -> None:
    wanted = {text: embedder.embed([text])[0] for text in ("tea", "coffee", "milk", "water")}
    wrong: list[str] = []

    def ask(text: str) -> None:
        rows = [embedder.embed([text])[0] for _ in range(25)]
        wrong.extend(text for row in rows if not np.array_equal(row, wanted[text]))

    threads = [threading.Thread(target=ask, args=(text,)) for text in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_one_that_was_closed_may_be_asked_again() -> None:
    embedder = LocalEmbedder()
    assert embedder.pid is None  # nothing is started before it is needed
    embedder.embed(["hello"])
    embedder.close()
    embedder.close()
    assert embedder.embed(["hello"]).any()
    embedder.close()


def test_one_whose_process_never_starts_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "nothing"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))

    with pytest.raises(EmbedderLost):
        LocalEmbedder().embed(["hello"])


def test_the_process_dies_with_the_one_that_asks() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.communicate()

    wait_for("end of the child", lambda: not Path(f"/proc/{pid}/cmdline").exists() or None, 30)
