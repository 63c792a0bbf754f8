"""Keeps the passwords of database URLs out of what is printed."""

from __future__ import annotations

from leasehold.store.shown_url import MASK, hide_password, hide_secrets

__all__ = ["MASK", "hide_password", "hide_secrets"]
