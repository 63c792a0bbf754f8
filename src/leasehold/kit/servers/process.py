"""A local server in a process of its own, so that it takes no time from who is measured."""

from __future__ import annotations

import http.client
import subprocess
import sys
from http import HTTPStatus
from typing import Any, Self
from urllib.parse import urlsplit

import msgspec

from leasehold.kit.servers.controls import Controls
from leasehold.kit.servers.server import CONTROL

_SECONDS = 60.0  # that a control may take


class ServerProcess(Controls):
    """`python -m MODULE NAME …`, from `with` to its end.

    The module takes `--controlled`, tells in one line of JSON where it is, and ends with its input.
    """

    def __init__(self, module: str, name: str, *arguments: str) -> None:
        """Start it."""
        self.name = name
        command = [sys.executable, "-m", module, name, "--controlled", *arguments]
        self._process = subprocess.Popen(  # noqa: S603  # nosec B603  # our own module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.told: dict[str, Any] = msgspec.json.decode(self._first_line())
        self.url: str = self.told["url"]

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
