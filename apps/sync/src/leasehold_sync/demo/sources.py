"""The demo's apps: which API each is at, how much is there, and what is odd about it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from leasehold_sync.model.apps import App
from leasehold_sync.servers import IntercomServer, LocalServer, NotionServer, StripeServer

PAGE_SECONDS = 1.5  # of the slow one: so that one can watch
WINDOW_REQUESTS, WINDOW_SECONDS = 4, 60.0  # of the strict one


def _plain(_server: LocalServer) -> None:
    """Leave it as it is."""


def _slow(server: LocalServer) -> None:
    server.delay(PAGE_SECONDS, "/v1/data_sources")


def _strict(server: LocalServer) -> None:
    server.limit(WINDOW_REQUESTS, WINDOW_SECONDS)


def _refusing(server: LocalServer) -> None:
    server.delay(PAGE_SECONDS, "/v1/charges")  # late enough for the customers to be through
    server.fail(403, path="/v1/charges")


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """An app of the demo, and the local API that it is at."""

    key: str
    about: str
    server: type[LocalServer]
    rows: dict[str, int]
    prepare: Callable[[LocalServer], None] = _plain
    #: How it is before its first sync, and not after a restart.
    prepare_first: Callable[[LocalServer], None] = _plain
    resources: tuple[str, ...] | None = None
    schedule: str | None = None
    is_synced_again: bool = False  # as soon as it is done

    @property
    def variable(self) -> str:
        """The variable of the environment that has its key."""
        return f"SYNC_DEMO_{self.key.upper()}"

    def app(self, url: str) -> App:
        return App(
            app_key=self.key,
            connector=self.server.name,
            credential=f"env:{self.variable}",
            base_url=url,
            resources=self.resources,
            schedule=self.schedule,
        )


SOURCES = (
    Source(
        key="shop",
        about="A shop at Stripe. Its first sync is done soon; the changes follow each half hour.",
        server=StripeServer,
        rows={
            "customers": 1240,
            "subscriptions": 410,
            "invoices": 360,
            "products": 24,
            "prices": 36,
            "charges": 980,
            "payment_intents": 980,
            "balance_transactions": 1320,
            "refunds": 31,
            "disputes": 4,
            "payouts": 52,
            "coupons": 9,
        },
        schedule="*/30 * * * *",
    ),
    Source(
        key="notes",
        about="A Notion that takes its time for each page, synced again and again: watch it move.",
        server=NotionServer,
        rows={"pages": 6400, "data_sources": 3, "users": 14},
        prepare=_slow,
        is_synced_again=True,
    ),
    Source(
        key="helpdesk",
        about="An Intercom that allows four requests a minute: its tasks wait for the next one.",
        server=IntercomServer,
        rows={"contacts": 2600, "companies": 340, "conversations": 900},
        prepare=_strict,
        is_synced_again=True,
    ),
    Source(
        key="old_shop",
        about="A Stripe whose key was not allowed to see charges. It is now: retry its sync.",
        server=StripeServer,
        rows={"customers": 180, "charges": 190},
        prepare_first=_refusing,
        resources=("customers", "charges"),
    ),
)
