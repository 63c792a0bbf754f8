"""The local Stripe keeps Stripe's rules, as its own library and a strict reader see them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
import stripe

from leasehold_sync.servers import StripeServer
from leasehold_sync.servers.stripe.server import EVENT_SECONDS
from tests.sync.servers.asking import asking

LIST = "/v1/customers"


@pytest.fixture
def server() -> Iterator[StripeServer]:
    with StripeServer(rows={"customers": 250, "subscriptions": 40, "invoices": 30}) as server:
        yield server


@pytest.fixture
def sdk(server: StripeServer) -> Iterator[stripe.StripeClient]:
    with library(server) as sdk:
        yield sdk


@contextmanager
def library(server: StripeServer) -> Iterator[stripe.StripeClient]:
    http = stripe.RequestsClient()
    yield stripe.StripeClient(
        server.key, base_addresses={"api": server.url}, http_client=http, max_network_retries=0
    )
    http.close()  # type: ignore[no-untyped-call]  # it has no types


def error_of(server: StripeServer, path: str, **headers: str) -> tuple[int, dict[str, Any]]:
    with asking(server, **headers) as client:
        answer = client.get(path)
    error: dict[str, Any] = answer.json()["error"]
    return answer.status_code, error


def test_the_official_library_reads_every_list_to_its_end(
    server: StripeServer, sdk: stripe.StripeClient
) -> None:
    read = [each.id for each in sdk.v1.customers.list({"limit": 100}).auto_paging_iter()]

    assert read[::-1] == server.ids("customers")
    assert server.count(f"GET {LIST}") == 3


def test_the_official_library_reads_one_of_each_kind() -> None:
    names = [kind.name for kind in StripeServer.kinds if kind.name != "events"]
    with StripeServer(rows=dict.fromkeys(names, 3)) as server, library(server) as sdk:
        for name in names:
            found = list(getattr(sdk.v1, name).list({"limit": 2}).auto_paging_iter())
            assert [each.id for each in found][::-1] == server.ids(name)
            if hasattr(getattr(sdk.v1, name), "retrieve"):
                assert getattr(sdk.v1, name).retrieve(found[0].id).id == found[0].id


def test_the_official_library_reads_what_a_nested_list_does_not_show(
    sdk: stripe.StripeClient,
) -> None:
    invoices = list(sdk.v1.invoices.list({"limit": 100}).auto_paging_iter())

    shown = [len(invoice.lines.data) for invoice in invoices]
    all_lines = [len(list(invoice.lines.auto_paging_iter())) for invoice in invoices]

    assert sorted(set(shown)) == [2, 10]
    assert sorted(set(all_lines)) == [2, 25]


def test_the_official_library_goes_back_from_an_object(
    server: StripeServer, sdk: stripe.StripeClient
) -> None:
    newest = server.ids("customers")[::-1]

    page = sdk.v1.customers.list({"limit": 10, "ending_before": newest[20]})

    assert [each.id for each in page] == newest[10:20]
    assert page.has_more


def test_cancelled_subscriptions_are_shown_to_who_asks_for_all(sdk: stripe.StripeClient) -> None:
    def statuses(**asked: Any) -> set[str]:
        found = sdk.v1.subscriptions.list(cast("Any", {"limit": 100, **asked}))
        return {each.status for each in found.auto_paging_iter()}

    assert statuses() == {"active"}
    assert statuses(status="all") == {"active", "canceled"}
    assert statuses(status="canceled") == {"canceled"}


def test_a_time_narrows_a_list_to_the_second(
    server: StripeServer, sdk: stripe.StripeClient
) -> None:
    ids = server.ids("customers")
    begin, end = (server.get("customers", ids[n])["created"] for n in (10, 20))

    def created(**bounds: int) -> list[str]:
        asked: Any = {"limit": 100, "created": bounds}
        return [each.id for each in sdk.v1.customers.list(asked)]

    assert created(gte=begin, lte=end) == ids[10:21][::-1]
    assert created(gt=begin, lt=end) == ids[11:20][::-1]


def test_a_cursor_whose_object_was_deleted_is_refused(
    server: StripeServer, sdk: stripe.StripeClient
) -> None:
    gone = server.ids("customers")[100]
    server.delete("customers", gone)

    with pytest.raises(stripe.InvalidRequestError) as refused:
        sdk.v1.customers.list({"starting_after": gone})

    assert (refused.value.http_status, refused.value.code) == (400, "resource_missing")
    assert refused.value.param == "starting_after"
    assert sdk.v1.customers.retrieve(gone).deleted


def test_rows_that_come_or_go_while_somebody_reads_move_nothing_else(
    server: StripeServer, sdk: stripe.StripeClient
) -> None:
    before = server.ids("customers")[::-1]
    page = sdk.v1.customers.list({"limit": 100})

    server.insert("customers", 5)
    server.delete("customers", before[10], before[150])
    rest = [each.id for each in page.next_page().auto_paging_iter()]

    assert rest == [each for each in before[100:] if each != before[150]]


def test_changes_are_told_by_events_for_thirty_days(
    server: StripeServer, sdk: stripe.StripeClient
) -> None:
    (fresh,) = server.insert("customers", name="Fresh")
    server.update("customers", fresh, name="Changed")
    server.delete("customers", fresh)

    events = list(sdk.v1.events.list({"types": ["customer.updated", "customer.deleted"]}))

    assert [event.type for event in events] == ["customer.deleted", "customer.updated"]
    assert {event.data.object["id"] for event in events} == {fresh}
    assert events[1].to_dict()["data"]["previous_attributes"] == {"name": "Fresh"}
    server.advance(EVENT_SECONDS + 1)
    assert not sdk.v1.events.list().data


@pytest.mark.parametrize(
    ("query", "param", "code"),
    [
        ("limit=101", "limit", "parameter_invalid_integer"),
        ("limit=0", "limit", "parameter_invalid_integer"),
        ("limit=ten", "limit", "parameter_invalid_integer"),
        ("created[since]=1", "created[since]", "parameter_unknown"),
        ("created[gte]=now", "created[gte]", "parameter_invalid_integer"),
        ("page=2", "page", "parameter_unknown"),
        ("status=all", "status", "parameter_unknown"),
        ("starting_after=", "starting_after", "parameter_invalid_empty"),
        ("starting_after=cus_no", "starting_after", "resource_missing"),
        ("starting_after=a&ending_before=b", "ending_before", None),
    ],
)
def test_a_wrong_parameter_is_named(
    server: StripeServer, query: str, param: str, code: str | None
) -> None:
    status, error = error_of(server, f"{LIST}?{query}")

    assert (status, error["param"], error.get("code")) == (400, param, code)
    assert error["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer sk_test_of_somebody_else"}, 401),
        ({"Stripe-Version": ""}, 400),
        ({"Stripe-Version": "latest"}, 400),
    ],
)
def test_a_request_needs_its_key_and_its_version(
    server: StripeServer, headers: dict[str, str], status: int
) -> None:
    found, error = error_of(server, LIST, **headers)

    assert found == status
    assert "sk_test_of_somebody_else" not in error["message"]


def test_who_asks_too_often_is_told_to_try_again(
    server: StripeServer, sdk: stripe.StripeClient
) -> None:
    server.limit(2, 60)
    for _ in range(2):
        sdk.v1.customers.list({"limit": 1})

    with pytest.raises(stripe.RateLimitError) as refused:
        sdk.v1.customers.list({"limit": 1})

    assert refused.value.headers is not None
    assert refused.value.headers["Stripe-Should-Retry"] == "true"
    server.advance(60)
    assert sdk.v1.customers.list({"limit": 1}).data


def test_nothing_can_be_written(server: StripeServer, sdk: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refused:
        sdk.v1.customers.create({"name": "Nobody"})

    assert refused.value.http_status == 404
    assert len(server.ids("customers")) == 250
