"""A process of little memory that opens bombs; it says what came of each, and what it took."""

import io
import json
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from leasehold.fetching import Fetcher, FetchRules
from leasehold.reading import ArchiveLimits, gunzip, open_tar, open_zip, read_json
from tests.safety.strangers import bombs

_CLEAR = Path("/proc/self/clear_refs")
_LIMITS = ArchiveLimits(
    entries=1_000, entry_bytes=4_000_000, total_bytes=8_000_000, ratio=100, ratio_from=100_000
)


def fetch(port: int, name: str) -> None:
    rules = FetchRules(
        allow=(f"127.0.0.1:{port}",),
        seconds=1.0 if name.startswith("slow") else 30.0,
        idle_seconds=0.5 if name.startswith("silen") else 10.0,
        wire_bytes=500_000,
        decoded_bytes=4_000_000,
    )
    Fetcher(rules).get(f"http://127.0.0.1:{port}/{name}")


def unzip(raw: bytes) -> None:
    with open_zip(io.BytesIO(raw), _LIMITS) as archive:
        for name in archive.names:
            for _ in archive.pieces(name):
                pass


def untar(raw: bytes) -> None:
    with open_tar(io.BytesIO(raw), _LIMITS) as archive:
        for _, pieces in archive.members():
            for _ in pieces:
                pass


def unpack(raw: bytes) -> None:
    for _ in gunzip(io.BytesIO(raw), _LIMITS):
        pass


def archives() -> dict[str, tuple[Callable[[bytes], object], bytes]]:
    big = bytes(3_000_000)
    tar_bomb = bombs.tar_header("bomb", bombs.GIB)
    return {
        "zip": (unzip, bombs.zip_bomb()),
        "zip that lies": (unzip, bombs.lying_zip()),
        "zip over itself": (unzip, bombs.overlapping_zip()),
        "zip of many": (unzip, bombs.many_entries()),
        "zip of large ones": (unzip, bombs.zip_of(*((f"{n}", big) for n in range(9)), method=0)),
        "gzip": (unpack, bombs.pack_zeros(bombs.GIB, 31)),
        "tar.gz": (untar, bombs.pack_zeros(bombs.GIB, 31)),
        "tar": (untar, tar_bomb + bytes(5_000_000)),
        "tar header": (untar, bombs.tar_header("x", 5_000_000, b"x") + b"1" * 5_000_000),
        "tar name": (untar, bombs.tar_header("x", 5_000_000, b"L") + b"1" * 5_000_000),
        "tar of headers": (untar, bombs.tar_header("x", 0, b"x") * 5_000),
        "tar of many": (untar, b"".join(bombs.tar_header(f"{n}", 0) for n in range(9_000))),
        "tar of large ones": (untar, bombs.tar_of(*((f"{n}", big) for n in range(4)))),
        "deep JSON": (read_json, bombs.deep_json()),
        "deep objects": (read_json, bombs.deep_objects()),
        "large JSON": (read_json, b"[" + b"1," * 9_000_000 + b"1]"),
    }


def main() -> None:
    told: dict[str, Any] = {}
    tries: dict[str, Callable[[], object]]
    if sys.argv[1] == "archives":
        tries = {name: partial(opened, raw) for name, (opened, raw) in archives().items()}
    else:
        port, names = int(sys.argv[1]), sys.argv[2:]
        fetch_nothing(port)
        tries = {name: partial(fetch, port, name) for name in names}
    limit = _used() + 96 * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for name, opened in tries.items():
        told[name] = _tell(opened)
    print(json.dumps(told))


def fetch_nothing(port: int) -> None:
    """Let all that is imported and cached be there before memory is measured."""
    try:
        fetch(port, "interim")
    except Exception:  # noqa: BLE001 - whatever it says
        return


def _tell(opened: Callable[[], object]) -> dict[str, Any]:
    began = time.monotonic()
    _CLEAR.write_text("5")  # what was the most so far counts no more
    before = _most()
    try:
        opened()
        said = "nothing was refused"
    except Exception as error:  # noqa: BLE001 - the test judges
        said = f"{type(error).__name__}: {error}"
    grown = (_most() - before) / 1_024
    return {"said": said, "seconds": time.monotonic() - began, "grown_mib": grown}


def _most() -> int:
    """Return the most memory that it has used, in KiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def _used() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    main()
