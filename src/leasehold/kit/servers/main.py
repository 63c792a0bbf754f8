"""What a module of local servers does when it is run: says where it is, and waits for its end."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import threading
from typing import Any

import msgspec

from leasehold.kit.servers.server import LocalServer


def add_options(parser: argparse.ArgumentParser) -> None:
    """Take what every local server can be told at its start."""
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--limit", nargs=2, type=float, metavar=("REQUESTS", "SECONDS"))
    # For tests: it takes controls over HTTP, and ends with whoever started it.
    parser.add_argument("--controlled", action="store_true", help=argparse.SUPPRESS)


def serve(server: LocalServer, said: argparse.Namespace, told: dict[str, Any]) -> None:
    """Serve until the end, once a line of JSON has said where and what else is `told`."""
    server.is_controlled = said.controlled
    if said.delay:
        server.delay(said.delay)
    if said.limit:
        server.limit(int(said.limit[0]), said.limit[1])
    with server:
        sys.stdout.buffer.write(msgspec.json.encode({"url": server.url, **told}) + b"\n")
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
