"""Answers and archives that are small outside and huge inside, or that never end."""

import contextlib
import gzip
import io
import socket
import struct
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable

from tests.safety.strangers.servers import Script, answer, target_of

GIB = 2**30
_STEP = 2**20
_OK = b"HTTP/1.1 200 OK\r\n"


def pack_zeros(size: int, window: int) -> bytes:
    """Pack so many zeros, without ever having them; only the checksum at the end is wrong."""
    packer = zlib.compressobj(9, zlib.DEFLATED, window)
    first, again = (
        packer.compress(bytes(_STEP)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2)
    )
    return first + again * (size // _STEP - 1) + packer.flush()


def for_ever(head: bytes, piece: bytes, pause_seconds: float = 0) -> Script:
    """Return a script that never stops talking."""

    def script(connection: socket.socket, _: bytes) -> None:
        connection.sendall(head)
        with contextlib.suppress(OSError):
            while True:
                connection.sendall(piece)
                time.sleep(pause_seconds)

    return script


def silence(connection: socket.socket, _: bytes) -> None:
    with contextlib.suppress(OSError):
        connection.recv(1)


def answers() -> dict[str, Script]:
    """Return each bomb by its path; all of them are larger than any limit, or without end."""
    chunked = _OK + b"Transfer-Encoding: chunked\r\n"
    once = {
        "gzip": answer(pack_zeros(GIB, 31), "Content-Encoding: gzip"),
        "deflate": answer(pack_zeros(GIB, 15), "Content-Encoding: deflate"),
        "raw-deflate": answer(pack_zeros(GIB, -15), "Content-Encoding: deflate"),
        "gzip-in-gzip": answer(gzip.compress(pack_zeros(GIB, 31)), "Content-Encoding: gzip, gzip"),
        "members": answer(gzip.compress(b"") * 50_000, "Content-Encoding: gzip"),
        "many-headers": _OK + b"X: y\r\n" * 10_000 + b"\r\n",
    }
    return {
        **{name: _say(said) for name, said in once.items()},
        "gzip-chunked": for_ever(
            chunked + b"Content-Encoding: gzip\r\n\r\n", _chunk(pack_zeros(2**26, 31))
        ),
        "body": for_ever(_OK + b"\r\n", bytes(65_536)),
        "body-with-length": for_ever(_OK + b"Content-Length: 999999999999\r\n\r\n", bytes(65_536)),
        "chunks": for_ever(chunked + b"\r\n", _chunk(bytes(65_536))),
        "tiny-chunks": for_ever(chunked + b"\r\n", _chunk(b"x") * 10_000),
        "chunk-extension": for_ever(chunked + b"\r\n1;", b"x" * 65_536),
        "trailers": for_ever(chunked + b"\r\n0\r\n", b"X: y\r\n" * 10_000),
        "header-line": for_ever(_OK + b"X: ", b"y" * 65_536),
        "headers": for_ever(_OK, b"X: y\r\n" * 10_000),
        "status-line": for_ever(b"HTTP/1.1 200 ", b"O" * 65_536),
        "interim": for_ever(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100),
        "interim-slow": for_ever(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", 0.05),
        "not-http": for_ever(b"", b"\0" * 65_536),
        "slow-body": for_ever(_OK + b"\r\n", b"x", 0.05),
        "slow-chunks": for_ever(chunked + b"\r\n", b"1\r\nx\r\n", 0.05),
        "slow-headers": for_ever(_OK, b"X", 0.05),
        "silence": silence,
        "silent-body": _then_silence(_OK + b"Content-Length: 9\r\n\r\nx"),
    }


def by_path(scripts: dict[str, Script]) -> Script:
    def script(connection: socket.socket, request: bytes) -> None:
        scripts[target_of(request).strip("/")](connection, request)

    return script


def _say(said: bytes) -> Script:
    def script(connection: socket.socket, _: bytes) -> None:
        with contextlib.suppress(OSError):
            connection.sendall(said)

    return script


def _then_silence(said: bytes) -> Script:
    def script(connection: socket.socket, request: bytes) -> None:
        connection.sendall(said)
        silence(connection, request)

    return script


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def zip_of(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return made.getvalue()


def zip_bomb(size: int = GIB) -> bytes:
    """Make a zip file of one member that is honest about its size."""
    return _raw_zip([(b"bomb", pack_zeros(size, -15), size)])


def lying_zip(size: int = GIB) -> bytes:
    """Make one that says to be small."""
    return _raw_zip([(b"bomb", pack_zeros(size, -15), 1_000)])


def overlapping_zip(names: int = 500, size: int = 2**20) -> bytes:
    """Make one whose many members are all the same packed bytes."""
    packed = zlib.compress(bytes(size))[2:-4]
    local = _local(b"a", packed, size)
    entries = b"".join(_entry(f"{n:04}".encode(), packed, size, 0) for n in range(names))
    return local + entries + _end(names, len(entries), len(local))


def many_entries(count: int = 200_000) -> bytes:
    """Make one whose directory alone would be hundreds of megabytes in memory."""
    local = _local(b"a", b"", 0)
    entries = b"".join(_entry(f"{n:06}".encode(), b"", 0, 0) for n in range(count))
    return local + entries + _end(65_535, len(entries), len(local))


def _raw_zip(members: list[tuple[bytes, bytes, int]]) -> bytes:
    body, entries = b"", b""
    for name, packed, size in members:
        entries += _entry(name, packed, size, len(body))
        body += _local(name, packed, size)
    return body + entries + _end(len(members), len(entries), len(body))


def _local(name: bytes, packed: bytes, size: int) -> bytes:
    head = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 33, 0, len(packed), size, len(name), 0)
    return head + name + packed


def _entry(name: bytes, packed: bytes, size: int, at: int) -> bytes:
    sizes = (0, len(packed), size, len(name), 0, 0, 0, 0, 0, at)
    return struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 33, *sizes) + name


def _end(count: int, size: int, at: int) -> bytes:
    return struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, size, at, 0)


def tar_of(*members: tuple[str, bytes], change: Callable[[tarfile.TarInfo], object] = id) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            change(info)
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


def tar_header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def deep_json(levels: int = 1_000_000) -> bytes:
    return b"[" * levels + b"]" * levels


def deep_objects(levels: int = 300_000) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels
