"""The model's server in a process of its own, so that it takes no time from who asks it."""

from __future__ import annotations

from typing import Any

from leasehold.kit.servers import process
from leasehold_memory.servers.controls import Controls


class ServerProcess(process.ServerProcess, Controls):
    """`python -m leasehold_memory.servers model`, from `with` to its end."""

    def __init__(self, **options: Any) -> None:
        """Start it. Options are those of the command: `port=8090` is `--port 8090`."""
        given = [part for key, value in options.items() for part in (f"--{key}", str(value))]
        super().__init__("leasehold_memory.servers", "model", *given)
        self.base_url: str = self.told["base_url"]
