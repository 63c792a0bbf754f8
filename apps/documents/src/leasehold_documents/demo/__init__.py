"""Documents with something to see: two organizations and their papers, made up, on this machine.

`leasehold serve --app leasehold_documents.demo:application`, or `leasehold-documents serve --demo`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leasehold.web import Application


def application() -> Application:
    """Make the demo. Only who names it gets it: no entry point does."""
    from leasehold_documents.demo.page import make_application

    return make_application()
