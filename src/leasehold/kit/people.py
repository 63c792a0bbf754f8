"""Whose things are whose: one name for each person, also where people are of different tenants."""

from __future__ import annotations

DEMO_USER = "demo"  # whoever comes where nobody is asked who they are; the command line, too


def user_id_of(name: str, tenant: str | None = None) -> str:
    """Name a person for good; people of one name and two tenants are two."""
    return _plain(name) if tenant is None else f"{_plain(tenant)}/{_plain(name)}"


def _plain(name: str) -> str:
    """Leave no slash in it, so that nobody can be called as somebody of a tenant is."""
    return name.replace("%", "%25").replace("/", "%2F")
