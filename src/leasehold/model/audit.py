"""What people did, and who they were."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec


class Actor(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who does something. `is_certain`: they have shown who they are.

    Then what they say themselves of who they are (`by`) does not count.
    """

    name: str = ""
    via: str = "code"  # or cli, api, dashboard
    address: str = ""
    is_certain: bool = False


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One row to be written. `tenant` is whose things it was about; "" is nobody's, or many."""

    actor: str
    via: str
    action: str
    subject: str = ""
    address: str = ""
    tenant: str = ""
    count: int = 1
    detail: dict[str, Any] = {}


class AuditRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One row as it stands."""

    id: int
    at: datetime
    actor: str
    via: str
    address: str
    tenant: str
    action: str
    subject: str
    count: int
    detail: dict[str, Any]


class AuditFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows; what is None does not restrict."""

    tenant: str | None = None
    actor: str | None = None
    action: str | None = None
    since: datetime | None = None
