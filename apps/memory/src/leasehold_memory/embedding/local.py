"""Vectors without a key or a network, made in one process beside this one.

Making them is pure work of the processor: in a thread of this process it would hold up the API.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO

import numpy as np

from leasehold_memory.embedding import child
from leasehold_memory.embedding.checking import checked
from leasehold_memory.embedding.interface import PATIENCE_SECONDS, Matrix
from leasehold_memory.errors import EmbedderLost

_PATIENCE_SECONDS = 30.0  # for one batch, which takes some milliseconds
_BATCH = 64  # texts, so that a question need not wait long behind a large work
_LONGEST = 16_000  # characters of a text: a mean over more says no more
_TRIES = 2
# What it needs to start; what else is in our environment may be secret.
_KEPT = ("PATH", "LD_LIBRARY_PATH", "HOME", "SYSTEMROOT", "TMPDIR")


class LocalEmbedder:
    """The static vectors of the `wordllama` package, of 256 numbers; for English, mostly.

    They know words, not sentences, so being near counts for less than sharing words. The process
    starts when first asked and again if it was lost; it ends with this one.
    """

    dimension = child.DIMENSION
    weight = 0.15

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process that makes the vectors, if it was started."""
        process = self._process
        return None if process is None else process.pid

    def embed(self, texts: Sequence[str], *, seconds: float = PATIENCE_SECONDS) -> Matrix:  # noqa: ARG002 - it needs milliseconds, or is lost
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        rows = np.concatenate([self._ask(batch) for batch in _batches(texts)])
        return checked(rows, count=len(texts), dimension=self.dimension)

    def close(self) -> None:
        with self._lock:
            self._stop()

    def _ask(self, texts: list[str]) -> Matrix:
        request = json.dumps(texts, ensure_ascii=False).encode(errors="replace")
        with self._lock:
            for _ in range(_TRIES):
                with suppress(OSError, EOFError):
                    return self._exchange(request).reshape(-1, self.dimension)
                self._stop()
        raise EmbedderLost

    def _exchange(self, request: bytes) -> Matrix:
        process = self._process or self._start()
        if process.stdin is None or process.stdout is None:
            raise EOFError
        until = time.monotonic() + _PATIENCE_SECONDS
        _write(process.stdin, child.LENGTH.pack(len(request)) + request, until)
        (length,) = child.LENGTH.unpack(_read(process.stdout, child.LENGTH.size, until))
        return np.frombuffer(_read(process.stdout, length, until), np.float32)

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter  # nosec B603
            [sys.executable, "-X", "utf8", "-P", child.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a tokenizer may say there what was said to us
            env=_environment(),
            start_new_session=True,  # Ctrl-C in a terminal is this process's to handle
        )
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError):  # what it was sent last and never read
                process.communicate()


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), _BATCH):
        yield [text[:_LONGEST] for text in texts[start : start + _BATCH]]


def _write(stream: IO[bytes], content: bytes, until: float) -> None:
    """Write in pieces that a pipe takes without waiting, once it takes any."""
    for start in range(0, len(content), select.PIPE_BUF):
        _wait(stream, select.POLLOUT, until)
        os.write(stream.fileno(), content[start : start + select.PIPE_BUF])


def _read(stream: IO[bytes], length: int, until: float) -> bytes:
    content = bytearray()
    while len(content) < length:
        _wait(stream, select.POLLIN, until)
        piece = os.read(stream.fileno(), length - len(content))
        if not piece:
            raise EOFError
        content += piece
    return bytes(content)


def _wait(stream: IO[bytes], what: int, until: float) -> None:
    """Wait for the other process, but not for one that hangs."""
    poll = select.poll()
    poll.register(stream, what)
    if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
        raise EOFError


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "0"}
    return {**kept, **threads, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
