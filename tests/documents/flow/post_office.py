"""A mail server on this machine that keeps what it is given, or refuses it."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any


class PostOffice(socketserver.ThreadingTCPServer):
    """Speaks as much of SMTP as a client needs."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Counter)
        self.letters: list[EmailMessage] = []
        self.refusals = 0  # how many are sent away with 451

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Counter(socketserver.StreamRequestHandler):
    server: PostOffice

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline():
            match line.split()[0].upper():
                case b"DATA":
                    self._take()
                case b"QUIT":
                    self._say("221 bye")
                    return
                case b"MAIL" if self.server.refusals:
                    self.server.refusals -= 1
                    self._say("451 come back later")
                case _:
                    self._say("250 fine")

    def _take(self) -> None:
        self._say("354 go on")
        lines: list[bytes] = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b"."))
        letter: Any = message_from_bytes(b"".join(lines), policy=policy.default)
        self.server.letters.append(letter)
        self._say("250 taken")

    def _say(self, text: str) -> None:
        self.wfile.write(text.encode() + b"\r\n")


@contextmanager
def open_post_office() -> Iterator[PostOffice]:
    with PostOffice() as office:
        thread = threading.Thread(target=office.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield office
        finally:
            office.shutdown()
            thread.join()
