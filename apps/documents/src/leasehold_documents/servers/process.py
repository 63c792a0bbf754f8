"""A local server in a process of its own."""

from __future__ import annotations

from typing import Any

from leasehold.kit.servers import process
from leasehold_documents.servers.controls import Controls


class ServerProcess(process.ServerProcess, Controls):
    """`python -m leasehold_documents.servers NAME`, from `with` to its end."""

    def __init__(self, name: str, **options: Any) -> None:
        """Start it. Options are those of the command: `port=8091` is `--port 8091`."""
        given = [part for key, value in options.items() for part in (f"--{key}", str(value))]
        super().__init__("leasehold_documents.servers", name, *given)
