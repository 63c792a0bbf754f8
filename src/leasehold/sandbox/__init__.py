"""Bounds of the child processes that run isolated tasks: memory, CPU, files, and no network."""

from leasehold.sandbox.limits import Limits

__all__ = ["Limits"]
