"""Memory with something to see: a few days of talk in Japanese and English, to be remembered.

`leasehold serve --app leasehold_memory.demo:application`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leasehold.web import Application


def application() -> Application:
    """Make the demo. Only who names it gets it: no entry point does."""
    from leasehold_memory.demo.page import make_application

    return make_application()
