"""The HTTP service: an API, a live dashboard, health and metrics, over one or more stores.

`create_app(client)` is an ASGI application of its own, to be served or mounted into another one.
"""

from leasehold.web.app import create_app
from leasehold.web.settings import WebSettings

__all__ = ["WebSettings", "create_app"]
