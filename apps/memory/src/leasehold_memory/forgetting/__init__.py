"""Deletes a person or a memory with every trace."""

from leasehold_memory.forgetting.forgetting import Forgotten, finish, forget_person, forget_unit

__all__ = ["Forgotten", "finish", "forget_person", "forget_unit"]
