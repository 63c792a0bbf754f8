"""The companion while it runs: the active memory with its worker, following every switch."""

from leasehold_memory.companion.companion import Companion
from leasehold_memory.companion.health import Backlog, Health

__all__ = ["Backlog", "Companion", "Health"]
