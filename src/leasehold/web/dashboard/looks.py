"""What a request asks of the dashboard, and what a view answers: a page, or another address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias
from urllib.parse import urlencode

from leasehold.client import Client
from leasehold.model.access import Right
from leasehold.web.access.identity import OPEN, Identity
from leasehold.web.site import Site

WHO = "dashboard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at a page, by a request or by the poller that watches it for others."""

    site: Site
    path: str  # within the service
    root: str = ""  # where the service is mounted
    params: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    identity: Identity | None = OPEN  # None: nobody is known, as at the login

    @property
    def client(self) -> Client:
        return self.site.client

    @property
    def is_read_only(self) -> bool:
        return self.site.settings.is_read_only or not self.may(Right.OPERATE)

    @property
    def tenant(self) -> str | None:
        """Whom whoever looks is bound to."""
        return None if self.identity is None else self.identity.tenant

    @property
    def topic(self) -> str:
        """The page as all see it who may see the same; what one of them sees is never another's."""
        return f"{'' if self.identity is None else self.identity.sight} {self.address}"

    def may(self, right: Right) -> bool:
        return self.identity is not None and self.identity.may(right)

    @property
    def address(self) -> str:
        """The page itself, to be asked for again."""
        return self.link(self.path, **self.query)

    def link(self, path: str, **query: object) -> str:
        """Return the address of another page; what is None or empty is left out."""
        said = [(name, str(value)) for name, value in query.items() if value not in (None, "")]
        return self.root + path + (f"?{urlencode(said)}" if said else "")

    def asked(self, name: str) -> str:
        """Return what the query says, without the space around it."""
        return self.query.get(name, "").strip()

    def said(self, name: str) -> str:
        """Return the last value that a form has under this name."""
        values = self.form.get(name, ())
        return values[-1].strip() if values else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What to show: a template and its values."""

    template: str
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    is_live: bool = True


@dataclass(frozen=True, slots=True)
class Moved:
    """Where to go instead."""

    address: str


@dataclass(frozen=True, slots=True)
class Text:
    """A value as it is, for those who want the whole of it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What an action did, in a sentence; `to` when its page is not there any more."""

    text: str
    level: str = "ok"
    to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What to confirm before it is done: the same form again, with `confirm`."""

    text: str
    button: str
    detail: str = ""
    is_dangerous: bool = False


View: TypeAlias = Callable[[Look], Page | Moved | Text]
Action: TypeAlias = Callable[[Look], Done | Question]
