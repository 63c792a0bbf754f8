"""Alerts: what is not as it should be, and quiet for a while."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Body
from pydantic import Field

from leasehold.errors import BadOption
from leasehold.model.alerts import Fact
from leasehold.web.access.rights import ApiRouter, operates_all, reads_all
from leasehold.web.api.queues import Changed
from leasehold.web.api.values import By, Command, Document, Duration
from leasehold.web.described import problems
from leasehold.web.site import OfSite

router = ApiRouter(prefix="/api/alerts", tags=["alerts"])


class Alert(Document):
    """One alert as it stands."""

    name: str = Field(examples=["depth"])
    subject: str = Field(description="The queue that it is about; empty: all.")
    state: str = Field(description="`firing` or `clear`.")
    is_firing: bool
    level: str
    since: datetime = Field(description="In this state.")
    value: float
    bound: float = Field(description="The limit that it was held against.")
    seen_at: datetime
    told_at: datetime | None = Field(description="When all sinks had it; null: not yet.")
    sent: list[str] = Field(description="The sinks that have it.")
    tries: int = Field(description="How often it was tried to tell them.")
    reminders: int
    muted_until: datetime | None
    text: str = Field(description="The same in a sentence.")


class Mute(Document):
    """A rule that tells nobody until then."""

    name: str
    until: datetime
    set_by: str


class MuteRequest(Command):
    """For how long nobody is told."""

    duration: Duration = "1h"
    by: By = None


@router.get("", response_model=list[Alert], responses=problems())
@reads_all
def list_alerts(site: OfSite, *, firing: bool = False) -> Any:
    """List what fires, the newest first, then what cleared in the last week unless `firing`."""
    return site.client.alerts.list(firing=firing)


@router.get("/mutes", response_model=list[Mute], responses=problems())
@reads_all
def list_mutes(site: OfSite) -> Any:
    """List the rules that are muted now."""
    return site.client.alerts.mutes()


@router.put("/{name}/mute", response_model=Mute, responses=problems(BadOption))
@operates_all
def mute_alert(
    site: OfSite, name: Fact, request: Annotated[MuteRequest, Body(default_factory=MuteRequest)]
) -> Any:
    """Tell nobody of a rule's alerts for a time; what still fires then is told."""
    return site.client.alerts.mute(name.value, request.duration, by=request.by)


@router.delete("/{name}/mute", response_model=Changed, responses=problems(BadOption))
@operates_all
def unmute_alert(site: OfSite, name: Fact) -> Any:
    """Tell of them again."""
    return {"is_changed": site.client.alerts.unmute(name.value)}
