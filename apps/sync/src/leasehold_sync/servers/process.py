"""A local server in a process of its own, so that it takes no time from who is measured."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Self
from urllib.parse import urlsplit

import msgspec

from leasehold_sync.servers.controls import Controls
from leasehold_sync.servers.server import CONTROL

_SECONDS = 60.0  # that a control may take


class ServerProcess(Controls):
    """`python -m leasehold_sync.servers NAME`, from `with` to its end."""

    def __init__(self, name: str, *, rows: Mapping[str, int] | None = None, **options: Any) -> None:
        """Start it. Options are those of the command: `spacing=1` is `--spacing 1`."""
        self.name = name
        said = [f"{collection}={count}" for collection, count in (rows or {}).items()]
        given = [part for key, value in options.items() for part in (f"--{key}", str(value))]
        command = [sys.executable, "-m", "leasehold_sync.servers", name, "--controlled", *given]
        self._process = subprocess.Popen(  # noqa: S603  # nosec B603  # our own module
            [*command, "--rows", *said] if said else command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        told = msgspec.json.decode(self._first_line())
        self.url: str = told["url"]
        self.key: str = told["key"]

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Safe twice."""
        self._process.kill()
        self._process.communicate()

    def _first_line(self) -> bytes:
        line = b"" if self._process.stdout is None else self._process.stdout.readline()
        if not line:
            self.stop()
            raise RuntimeError("the local server did not start; what it said is on stderr")
        return line

    def do(self, verb: str, **arguments: Any) -> Any:
        asking = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=_SECONDS)
        try:
            body = msgspec.json.encode({"verb": verb, "arguments": arguments})
            asking.request("POST", CONTROL, body)
            answer = asking.getresponse()
            said = answer.read()
        finally:
            asking.close()
        if answer.status != HTTPStatus.OK:
            raise ValueError(said.decode())
        return msgspec.json.decode(said)
