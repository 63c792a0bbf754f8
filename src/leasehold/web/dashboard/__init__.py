"""The pages for people: live, readable without a script, and safe to show anything a job holds."""

from leasehold.web.dashboard.installing import find_page, install
from leasehold.web.dashboard.routes import router

__all__ = ["find_page", "install", "router"]
