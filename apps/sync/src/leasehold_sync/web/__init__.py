"""Syncs over HTTP: the API that programs call, and pages for people.

`application()` is what lives in `leasehold serve`, at `/sync`. Served alone, `ALIASES` let
`POST /worker` be answered where the API's callers expect it.
"""

from leasehold_sync.settings import ALIASES
from leasehold_sync.web.application import application

__all__ = ["ALIASES", "application"]
