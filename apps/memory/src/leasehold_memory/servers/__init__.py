"""A model's server on this machine: it speaks as OpenAI's does, and thinks by a few rules.

The same question always has the same answer. Demo and tests use it over real HTTP, and so does who
has no key; what goes wrong with models can be said to it beforehand.
"""

from __future__ import annotations

from leasehold_memory.servers.controls import Controls
from leasehold_memory.servers.process import ServerProcess
from leasehold_memory.servers.server import MODEL, ModelServer

__all__ = ["MODEL", "Controls", "ModelServer", "ServerProcess"]
