"""The HTTP service: an API, a live dashboard, health and metrics, over one or more stores.

`create_app(client)` is an ASGI application of its own, to be served or mounted into another one.
An `Application` is a program that lives in `leasehold serve`, or is served by `serve`.
"""

from leasehold.model.access import Right
from leasehold.web.access import Identity, identity_of
from leasehold.web.access.lasting import until_over
from leasehold.web.app import create_app
from leasehold.web.applications import Application
from leasehold.web.beside import Beside
from leasehold.web.described import PROBLEM_SCHEMA
from leasehold.web.problems import Fault, Problem, Refused, make_problem, problem_of
from leasehold.web.settings import JwtSettings, WebSettings
from leasehold.web.standalone import serve

__all__ = [
    "PROBLEM_SCHEMA",
    "Application",
    "Beside",
    "Fault",
    "Identity",
    "JwtSettings",
    "Problem",
    "Refused",
    "Right",
    "WebSettings",
    "create_app",
    "identity_of",
    "make_problem",
    "problem_of",
    "serve",
    "until_over",
]
