"""One embedding preset's memory, open: its queue, its tables, and the models that fill it."""

from leasehold_memory.opening.memory import Memory, memory_of, open_memory

__all__ = ["Memory", "memory_of", "open_memory"]
