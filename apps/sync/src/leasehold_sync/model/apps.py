"""An app: one account of a source, as it stands in the table `apps`."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import msgspec

from leasehold_sync.errors import BadApp

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
_CREDENTIAL = re.compile(r"(env|stored):(.+)", re.DOTALL)


class App(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is synced, from where, and how to get in."""

    app_key: str
    connector: str
    #: Where the credential is, never the credential: `env:STRIPE_KEY` or `stored:stripe`.
    credential: str = ""
    #: Where the source is; empty for the real one.
    base_url: str = ""
    #: A full sync brings nothing that was made before.
    sync_from: datetime | None = None
    #: None: all that the connector has.
    resources: tuple[str, ...] | None = None
    #: The connector's own.
    options: dict[str, Any] = {}
    #: When to sync what has changed, as cron; None: when somebody says so.
    schedule: str | None = None


class CredentialReference(msgspec.Struct, frozen=True):
    """Where a credential is kept, and under which name."""

    kind: str  # env, stored
    name: str


def read_credential_reference(text: str) -> CredentialReference | None:
    """Read `env:NAME` or `stored:NAME`; empty text is no credential."""
    if not text:
        return None
    found = _CREDENTIAL.fullmatch(text)
    if found is None:
        # Not shown: somebody may have written the secret itself.
        raise BadApp("credential", "write env:NAME or stored:NAME, not the credential itself")
    return CredentialReference(found[1], found[2])


def check_app(app: App) -> None:
    """Refuse what could not be kept or found again."""
    if not _KEY.fullmatch(app.app_key):
        raise BadApp("app_key", "write up to 80 letters, digits, '_', '-' and '.'")
    if app.resources is not None and not app.resources:
        raise BadApp("resources", "name at least one, or leave them out for all")
    if app.sync_from is not None and app.sync_from.tzinfo is None:
        raise BadApp("sync_from", "say its time zone, as in 2024-01-01T00:00:00Z")
    read_credential_reference(app.credential)
