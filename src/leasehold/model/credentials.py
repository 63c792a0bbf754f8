"""Values that applications keep encrypted in the store, by name."""

from __future__ import annotations

from datetime import datetime

import msgspec


class CredentialInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One of them, without its value. `key` is what it is encrypted with."""

    name: str
    tenant: str
    key: str | None
    set_by: str | None
    updated_at: datetime
