"""Sync with something to see: four apps at APIs that are on this machine, and nowhere else.

`leasehold serve --app leasehold_sync.demo:application`, or `leasehold-sync serve --demo`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leasehold.web import Application


def application() -> Application:
    """Make the demo. Only who names it gets it: no entry point does."""
    from leasehold_sync.demo.page import make_application

    return make_application()
