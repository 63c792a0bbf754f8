"""A local server in a process of its own, so that it takes no time from who is measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leasehold.kit.servers import process
from leasehold_sync.servers.controls import Controls


class ServerProcess(process.ServerProcess, Controls):
    """`python -m leasehold_sync.servers NAME`, from `with` to its end."""

    def __init__(self, name: str, *, rows: Mapping[str, int] | None = None, **options: Any) -> None:
        """Start it. Options are those of the command: `spacing=1` is `--spacing 1`."""
        said = [f"{collection}={count}" for collection, count in (rows or {}).items()]
        given = [part for key, value in options.items() for part in (f"--{key}", str(value))]
        counts = ["--rows", *said] if said else []
        super().__init__("leasehold_sync.servers", name, *given, *counts)
        self.key: str = self.told["key"]
