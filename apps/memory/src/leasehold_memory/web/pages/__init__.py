"""What people see."""

from __future__ import annotations

from fastapi import APIRouter

from leasehold.kit.web import Pages

ROUTERS: tuple[APIRouter, ...] = ()
PAGES: Pages | None = None
