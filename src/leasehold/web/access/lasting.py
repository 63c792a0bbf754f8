"""How long an answer that goes on may: until the service ends, or who asked may not any more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.requests import HTTPConnection

from leasehold.errors import StoreError
from leasehold.web.access.access import TooMany
from leasehold.web.access.gate import CREDENTIAL
from leasehold.web.access.identity import identity_of

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from leasehold.web.access.access import Access
    from leasehold.web.access.identity import Asked, Identity

OVER = "leasehold_over"
LOOK_EVERY_SECONDS = 1.0


class Lasting:
    """What ends the long answers of applications."""

    def __init__(self, access: Access | None, ending: Callable[[], asyncio.Event]) -> None:
        self._access = access
        self._ending = ending  # asked for each time: a service may begin anew

    async def until_over(self, scope: MutableMapping[str, Any]) -> None:
        """Return when an answer has to end."""
        ending = self._ending()
        while not ending.is_set() and await self._may_go_on(scope):
            with suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), LOOK_EVERY_SECONDS)

    async def _may_go_on(self, scope: MutableMapping[str, Any]) -> bool:
        identity = identity_of(scope)  # None: the application is for everybody
        return identity is None or await still_stands(self._access, identity, scope)


async def still_stands(
    access: Access | None, identity: Identity | None, scope: MutableMapping[str, Any]
) -> bool:
    """Whether who asked would be let in now; a store that can't say changes nothing."""
    credential = scope.get("state", {}).get(CREDENTIAL)
    if access is None or identity is None or credential is None:
        return identity is not None
    try:
        return await access.stands(identity, credential)
    except StoreError:
        return True
    except TooMany:
        return False


async def until_over(asked: Asked) -> None:
    """Return when an answer that goes on has to end: `await` it beside what is sent.

    For applications inside the service; anywhere else it waits until it is cancelled.
    """
    scope: Any = asked.scope if isinstance(asked, HTTPConnection) else asked
    wait = scope.get("state", {}).get(OVER)
    if wait is None:
        await asyncio.Event().wait()
    else:
        await wait()
