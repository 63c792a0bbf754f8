"""`python -m leasehold_sync.servers stripe --rows customers=1000 --port 12111`."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import threading

import msgspec

from leasehold_sync.servers import SERVERS
from leasehold_sync.servers.rows import SPACING_SECONDS


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m leasehold_sync.servers",
        description="Serve an API on this machine, with made-up rows. Ctrl-C ends it.",
    )
    parser.add_argument("name", choices=sorted(SERVERS))
    parser.add_argument("--rows", nargs="+", default=[], metavar="COLLECTION=COUNT")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", help="the credential that it accepts")
    parser.add_argument("--spacing", type=int, default=SPACING_SECONDS, metavar="SECONDS")
    parser.add_argument("--delay", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--limit", nargs=2, type=float, metavar=("REQUESTS", "SECONDS"))
    # For tests: it takes controls over HTTP, and ends with whoever started it.
    parser.add_argument("--controlled", action="store_true", help=argparse.SUPPRESS)
    return parser


def main() -> None:
    said = _parser().parse_args()
    rows = {name: int(count) for name, _, count in (row.partition("=") for row in said.rows)}
    server = SERVERS[said.name](rows=rows, spacing=said.spacing, port=said.port, key=said.key)
    server.is_controlled = said.controlled
    if said.delay:
        server.delay(said.delay)
    if said.limit:
        server.limit(int(said.limit[0]), said.limit[1])
    with server:
        sys.stdout.buffer.write(msgspec.json.encode({"url": server.url, "key": server.key}) + b"\n")
        sys.stdout.flush()
        _wait(is_controlled=said.controlled)


def _wait(*, is_controlled: bool) -> None:
    """Return when it is time to end."""
    if is_controlled:
        with contextlib.suppress(KeyboardInterrupt):
            sys.stdin.read()
        return
    ending = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ending.set())
    ending.wait()


if __name__ == "__main__":
    main()
