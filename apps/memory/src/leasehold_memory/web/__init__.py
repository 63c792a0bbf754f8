"""The companion over HTTP: chat, memories and settings, for programs and for people."""

from leasehold_memory.web.application import application

__all__ = ["application"]
