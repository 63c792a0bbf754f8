"""Runs the service in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Callable

import uvicorn

from leasehold_documents.errors import DocumentsError
from leasehold_documents.extract_server.application import make_app
from leasehold_documents.extracting import Engine

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def serve(
    engine: Engine,
    *,
    host: str,
    port: int,
    key: str = "",
    most_bytes: int,
    on_start: Callable[[str], None] = lambda _address: None,
) -> None:
    """Serve until a signal comes; another address than this machine's own needs a key."""
    if host not in _LOOPBACK and not key:
        raise DocumentsError(
            f"extract-server: {host} is open to others, so that a key is needed: "
            "set LEASEHOLD_DOCUMENTS_EXTRACTION_KEY"
        )
    app = make_app(engine, key=key, places=os.cpu_count() or 2, most_bytes=most_bytes)
    on_start(f"http://{host}:{port}")
    uvicorn.run(app, host=host, port=port, log_level="warning", server_header=False)
