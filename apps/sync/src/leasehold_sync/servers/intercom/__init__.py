"""Intercom's searches, its scroll of companies, and its windows of ten seconds."""

from leasehold_sync.servers.intercom.server import IntercomServer

__all__ = ["IntercomServer"]
