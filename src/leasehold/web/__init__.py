"""The HTTP service: an API, a live dashboard, health and metrics, over one or more stores.

`create_app(client)` is an ASGI application of its own, to be served or mounted into another one.
An `Application` is a program that lives in `leasehold serve`.
"""

from leasehold.web.access import Identity, identity_of
from leasehold.web.app import create_app
from leasehold.web.applications import Application
from leasehold.web.settings import JwtSettings, WebSettings

__all__ = [
    "Application",
    "Identity",
    "JwtSettings",
    "WebSettings",
    "create_app",
    "identity_of",
]
