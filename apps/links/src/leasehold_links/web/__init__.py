"""The library over HTTP: an API for programs, and pages for people.

`application()` is what lives in `leasehold serve`, at `/links`.
"""

from leasehold_links.web.application import application

__all__ = ["application"]
