"""A web server with many names and odd pages: the demo's own."""

from __future__ import annotations

from leasehold_links.demo.odd_web import HTML, OddWeb, Reply, page

__all__ = ["HTML", "OddWeb", "Reply", "page"]
