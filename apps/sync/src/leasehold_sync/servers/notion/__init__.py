"""Notion's data sources, pages and users, with the cap on what a query returns."""

from leasehold_sync.servers.notion.server import NotionServer

__all__ = ["NotionServer"]
