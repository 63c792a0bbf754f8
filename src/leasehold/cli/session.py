"""One run of the program: which database, and how to answer."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leasehold.cli.failing import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.client import Client
    from leasehold.model.audit import Actor

_SQLITE_PREFIX = "sqlite:///"


def _actor() -> Actor:
    """Say who runs this program, for the audit record."""
    from leasehold.cli.controlling import os_user
    from leasehold.model.audit import Actor

    return Actor(name=os_user() or "", via="cli")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What the shared options say."""

    given_url: str | None
    is_json: bool
    is_debug: bool

    @property
    def url(self) -> str:
        """The database's URL. It may hold a password: print `shown_url` instead."""
        from leasehold.client import DEFAULT_URL, URL_VARIABLE

        return self.given_url or os.environ.get(URL_VARIABLE) or DEFAULT_URL

    @property
    def shown_url(self) -> str:
        return self.hide_secrets(self.url)

    def hide_secrets(self, text: str) -> str:
        """Take the URL's password out of a text."""
        from leasehold.cli.secrets import hide_secrets

        return hide_secrets(text, self.url)

    @contextmanager
    def client(self, *, may_create: bool = False) -> Iterator[Client]:
        """Open the queue. A SQLite file that is not there is made only for those who write."""
        from leasehold.acting import acting_as
        from leasehold.client import Client

        if not may_create:
            self.require_file()
        with acting_as(_actor()), Client(self.url) as client:
            yield client

    def require_file(self) -> None:
        """Refuse a SQLite file that is not there."""
        from pathlib import Path

        path = self.url.removeprefix(_SQLITE_PREFIX).partition("?")[0]
        is_file = self.url.startswith(_SQLITE_PREFIX) and path not in {"", ":memory:"}
        if is_file and not Path(path).exists():
            raise NotFound(
                f"there is no file {path}: name the database with --url or LEASEHOLD_URL, "
                "or make it with `leasehold migrate`"
            )
