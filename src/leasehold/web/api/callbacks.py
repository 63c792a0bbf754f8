"""Callbacks that are asked for over HTTP: a task to run when a job or a batch has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from pydantic import Field

from leasehold.model.durations import seconds
from leasehold.option_readers import ATTEMPTS_LIMIT
from leasehold.web.api.values import Command, Duration, Name, Priority, Whole, said

if TYPE_CHECKING:
    from leasehold.options import Callback
    from leasehold.web.site import Site


class CallbackRequest(Command):
    """The task, and what else its job is to be; it gets one argument, `ended`."""

    kind: Name = Field(description="The task's name.")
    queue: Name | None = None
    priority: Priority | None = None
    max_attempts: Annotated[Whole, Field(ge=1, le=ATTEMPTS_LIMIT)] | None = None
    timeout: Duration | None = None
    delay: Duration | None = None


class NamedCallback:
    """A callback by its task's name, for a service that does not have its code."""

    def __init__(self, request: CallbackRequest) -> None:
        self._request = request

    def as_callback(self) -> bytes:
        """Write down the job to make; what is left out is as its task says."""
        given = {name: value for name, value in said(self._request).items() if value is not None}
        for name in given.keys() & {"timeout", "delay"}:
            given[f"{name}_seconds"] = seconds(given.pop(name), name=name)
        return msgspec.json.encode(given)


def read_callback(site: Site, request: CallbackRequest | None) -> Callback | None:
    """Make a callback of what was asked for; a task that runs here is checked here."""
    if request is None:
        return None
    if request.kind not in site.registry:
        return NamedCallback(request)
    options = {name: value for name, value in said(request).items() if value is not None}
    kind = options.pop("kind")
    return site.registry[kind].with_options(**options)
