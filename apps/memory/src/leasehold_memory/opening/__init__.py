"""One embedding preset's memory, open: its queue, its tables, and the models that fill it."""

from leasehold_memory.opening.memory import Memory, memory_of, open_memory
from leasehold_memory.opening.models import Models

__all__ = ["Memory", "Models", "memory_of", "open_memory"]
