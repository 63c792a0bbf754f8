"""The library with something to see: a small bookmark file, and a web of odd pages for it.

`leasehold serve --app leasehold_links.demo:application`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leasehold.web import Application


def application() -> Application:
    """Make the demo. Only who names it gets it: no entry point does."""
    from leasehold_links.demo.page import make_application

    return make_application()
