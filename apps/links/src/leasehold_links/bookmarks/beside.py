"""Reads a large file in a process of its own, so that one reads while the other one writes.

    python -m leasehold_links.bookmarks.beside START

takes the file from its standard input, and writes steps of lines to its standard output, each
behind its length. It ends with who has started it: nobody reads what it writes then.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import IO, TypeAlias

import msgspec

from leasehold_links.bookmarks.lines import Line, read_steps
from leasehold_links.bookmarks.values import NotBookmarks
from leasehold_links.errors import ReaderDied

_LENGTH_BYTES = 4
_PIECE_BYTES = 262_144
_KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "HOME", "TMPDIR")


class Step(msgspec.Struct, frozen=True, tag=True):
    """Lines in their order."""

    lines: list[Line]


class Refused(msgspec.Struct, frozen=True, tag=True):
    """Why the file is none of bookmarks."""

    reason: str


class End(msgspec.Struct, frozen=True, tag=True):
    """There are no more lines."""


Message: TypeAlias = Step | Refused | End
_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Message] = msgspec.msgpack.Decoder(Message)


@contextmanager
def reading_beside(chunks: Iterable[bytes], start: int) -> Iterator[Iterator[list[Line]]]:
    """Let another process read what `read_steps` would, from now on; it ends with the block."""
    with (
        subprocess.Popen(  # noqa: S603 - our own interpreter  # nosec B603
            [sys.executable, "-P", "-m", __name__, str(start)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a parser may say there what is in a file
            env=_environment(),
            start_new_session=True,  # Ctrl-C in a terminal is the worker's to handle
        ) as process,
        ThreadPoolExecutor(1, thread_name_prefix="links-feeder") as pool,
    ):
        assert process.stdin is not None and process.stdout is not None  # noqa: PT018, S101
        fed = pool.submit(_feed, chunks, process.stdin)
        try:
            yield _steps(process.stdout, fed)
        finally:
            process.kill()


def _environment() -> dict[str, str]:
    """Give it what it needs to start; what else is in ours may be secret."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _feed(chunks: Iterable[bytes], file: IO[bytes]) -> None:
    """Write the file to the reader, unless that has ended."""
    try:
        with file:
            for chunk in chunks:
                file.write(chunk)
    except BrokenPipeError:
        return


def _steps(file: IO[bytes], fed: Future[None]) -> Iterator[list[Line]]:
    while True:
        match _receive(file):
            case Step(lines=lines):
                yield lines
            case Refused(reason=reason):
                raise NotBookmarks(reason)
            case End():
                fed.result()  # what could not be given to it is missing in what it has read
                return


def _receive(file: IO[bytes]) -> Message:
    head = file.read(_LENGTH_BYTES)
    length = int.from_bytes(head, "big")
    body = file.read(length)
    if len(head) < _LENGTH_BYTES or len(body) < length:
        raise ReaderDied
    return _decoder.decode(body)


# -- the process that reads ------------------------------------------------------------------------
def _read(file: IO[bytes], start: int) -> Iterator[Message]:
    pieces = iter(lambda: file.read(_PIECE_BYTES), b"")
    try:
        yield from map(Step, read_steps(pieces, start))
    except NotBookmarks as error:
        yield Refused(error.reason)
    else:
        yield End()


def main() -> None:
    """Read the file that comes in, and write what it says."""
    gc.freeze()  # what is loaded stays: looking through it for cycles was a twelfth of the work
    for message in _read(sys.stdin.buffer, int(sys.argv[1])):
        body = _encoder.encode(message)
        try:
            sys.stdout.buffer.write(len(body).to_bytes(_LENGTH_BYTES, "big") + body)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            os._exit(0)  # nobody reads any more, and what is still buffered can't be written


if __name__ == "__main__":
    main()
