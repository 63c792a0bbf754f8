"""The companion behind a real socket, in a thread of this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx

from leasehold.web.listening import Listening
from leasehold.web.serving import address_of, open_socket
from leasehold_memory.web.alone import Alone
from leasehold_memory.web.app import make_app


@contextmanager
def served(companion: Any, *, token: str | None = None) -> Iterator[httpx.Client]:
    """Serve it until the end of the `with`; yields somebody who shows the token."""
    started = threading.Event()
    shown = token or companion.settings.token.reveal()
    alone = Alone(make_app(companion), token=lambda: shown)
    listening = Listening(alone, alone.ending, on_start=started.set, access_log=False)
    headers = {"authorization": f"Bearer {shown}"}
    with ExitStack() as stack:
        opened = stack.enter_context(open_socket("127.0.0.1", 0))
        http = httpx.Client(base_url=address_of(opened), headers=headers, timeout=20)
        stack.enter_context(http)
        thread = threading.Thread(target=listening.serve, args=(opened,))
        thread.start()
        stack.callback(thread.join, 20)
        stack.callback(listening.end)
        assert started.wait(20)
        yield http
    assert not thread.is_alive()
