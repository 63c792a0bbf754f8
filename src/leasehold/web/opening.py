"""Before a service is served: its database is there and fits, and who may come in is decided."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Literal

from leasehold.errors import StoreUnavailable
from leasehold.web.serving import check_address, is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.client import Client

Auth = Literal["auto", "required", "off"]
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.25, 5.0
_logger = logging.getLogger("leasehold.web")


def open_tables(client: Client, *, is_migrating: bool) -> None:
    """Wait for the database, and refuse one that does not fit."""
    await_database(lambda: _check_store(client, is_migrating=is_migrating))


def await_database(check: Callable[[], None]) -> None:
    """Try until the database can be reached: who starts all at once need not start it first.

    Nobody is answered before: whom to let in stands in the database.
    """
    pause = _FIRST_PAUSE_SECONDS
    while True:
        try:
            check()
        except StoreUnavailable as error:
            extra = {"error": str(error), "again_in_seconds": pause}
            _logger.warning("waiting for the database", extra=extra)
        else:
            return
        time.sleep(pause)
        pause = min(_LONGEST_PAUSE_SECONDS, 2 * pause)


def _check_store(client: Client, *, is_migrating: bool) -> None:
    if is_migrating:
        client.store.migrate()
    client.store.check_schema()
    client.store.check_role()


def choose_auth(client: Client, host: str, auth: Auth, *, has_issuer: bool = False) -> Auth:
    """Refuse to be reached by others while nobody is asked; and then go on asking."""
    if auth != "auto" or is_loopback(host):
        return auth
    check_address(host, is_asking=has_issuer or client.store.has_tokens())
    return "required"
