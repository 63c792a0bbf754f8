"""One server for all tests here, over real HTTP, in a thread of this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn

from leasehold_documents.extract_server import make_app
from leasehold_documents.extracting.builtin import BuiltIn

KEY = "a key of the tests"


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Serve an application at a port that is free."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive()
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def engine() -> Iterator[BuiltIn]:
    opened = BuiltIn()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def server(engine: BuiltIn) -> Iterator[str]:
    """Our extract-server, with a key and room for 1 MB."""
    with served(make_app(engine, key=KEY, most_bytes=1_048_576)) as url:
        yield url
