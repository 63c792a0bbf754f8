"""What people see."""

from __future__ import annotations

from leasehold_memory.web.pages import chat, forgetting, jobs, memories, people, settings, unit
from leasehold_memory.web.pages.shell import PAGES

__all__ = ["PAGES", "ROUTERS"]

ROUTERS = (
    chat.router,
    forgetting.router,
    memories.router,
    unit.router,
    people.router,
    jobs.router,
    settings.router,
)
