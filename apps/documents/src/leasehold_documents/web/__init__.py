"""Documents over HTTP: the API that programs call, and pages for people.

`application()` is what lives in `leasehold serve`, at `/documents`. Served alone, `ALIASES` let
`POST /worker/tick` be answered where an outside cron job calls it.
"""

from leasehold_documents.settings import ALIASES
from leasehold_documents.web.application import application

__all__ = ["ALIASES", "application"]
