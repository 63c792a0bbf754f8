"""What plugs into the service."""

from __future__ import annotations

from leasehold.web import Application

NAME = "memory"


def application() -> Application:
    """Make the application; its jobs live in files of its own."""
    return Application(name=NAME, title="Memory")
