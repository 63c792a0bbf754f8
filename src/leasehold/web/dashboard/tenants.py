"""Tenants with quotas: what they may have, and how far they have used it up."""

from __future__ import annotations

from typing import Any

from leasehold.model.access import Right
from leasehold.web.dashboard.looks import WHO, Done, Look, Page
from leasehold.web.dashboard.pausing import read_whole
from leasehold.web.dashboard.sections import Section

section = Section()


@section.page("/tenants", right=Right.ADMIN)
def show(look: Look) -> Page:
    """List the tenants that have quotas."""
    values = {"quotas": look.client.quotas.list()}
    return Page(template="tenants.html", title="Tenants", values=values)


@section.action("/tenants/set", right=Right.ADMIN)
def change(look: Look) -> Done:
    """Set all quotas of a tenant; an empty field takes one away."""
    tenant = look.said("tenant")
    limits: dict[str, Any] = {
        "waiting": _count(look, "waiting"),
        "running": _count(look, "running"),
        "rate": look.said("rate") or None,
    }
    look.client.quotas.set(tenant, **limits, by=WHO)
    return Done(text=f"Tenant {tenant} has its new quotas.")


@section.action("/tenants/remove", right=Right.ADMIN)
def remove(look: Look) -> Done:
    """Take all quotas of a tenant away."""
    tenant = look.said("tenant")
    is_changed = look.client.quotas.remove(tenant)
    return Done(text=f"Tenant {tenant} has no quotas{' any more' if is_changed else ''}.")


def _count(look: Look, name: str) -> int | None:
    text = look.said(name)
    return read_whole(name, text) if text else None
