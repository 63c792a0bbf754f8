"""The local Intercom keeps Intercom's rules, as its own library and a strict reader see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from intercom import Intercom, SingleFilterSearchRequest, StartingAfterPaging
from intercom.errors import UnauthorizedError

from leasehold_sync.servers import IntercomServer
from leasehold_sync.servers.intercom.asking import DAY
from leasehold_sync.servers.intercom.scrolling import LASTS_SECONDS
from tests.sync.servers.asking import HEADERS, asking

SCROLL = "/companies/scroll"
ALL = {"field": "created_at", "operator": ">", "value": 0}


@pytest.fixture
def server() -> Iterator[IntercomServer]:
    rows = {"contacts": 320, "companies": 250, "conversations": 180, "tickets": 30}
    with IntercomServer(rows=rows) as server:
        yield server


@pytest.fixture
def small() -> Iterator[IntercomServer]:
    """Give one for the library, which takes milliseconds for each row."""
    rows = {"contacts": 25, "companies": 110, "conversations": 25, "tickets": 5}
    with IntercomServer(rows=rows) as server:
        yield server


@pytest.fixture
def sdk(small: IntercomServer) -> Iterator[Any]:
    with httpx.Client(timeout=10) as client:
        headers = HEADERS["intercom"]
        yield Intercom(token=small.key, base_url=small.url, headers=headers, httpx_client=client)


def search(client: httpx.Client, name: str, query: Any, **more: Any) -> httpx.Response:
    return client.post(f"/{name}/search", json={"query": query, **more})


def search_all(client: httpx.Client, name: str, query: Any, **more: Any) -> list[str]:
    rows, pagination = "data" if name == "contacts" else name, {"per_page": 150}
    found: list[str] = []
    while pagination:
        page = search(client, name, query, pagination=pagination, **more).json()
        found += [row["id"] for row in page[rows]]
        following = page["pages"].get("next")
        pagination = following and {"per_page": 150, "starting_after": following["starting_after"]}
    return found


def test_the_official_library_reads_every_list_to_its_end(small: IntercomServer, sdk: Any) -> None:
    assert [each.id for each in sdk.contacts.list(per_page=10)][::-1] == small.ids("contacts")
    conversations = [each.id for each in sdk.conversations.list(per_page=10)]
    assert conversations[::-1] == small.ids("conversations")
    assert [each.id for each in sdk.companies.scroll()] == small.ids("companies")
    assert [each.id for each in sdk.admins.list().admins] == small.ids("admins")
    assert [each.id for each in sdk.tags.list().data] == small.ids("tags")
    assert [each.id for each in sdk.teams.list().teams] == small.ids("teams")
    assert sdk.admins.identify().app.id_code


def test_the_official_library_searches(small: IntercomServer, sdk: Any) -> None:
    """Page by page: by itself this version asks for the first page again and again."""
    query = SingleFilterSearchRequest(field="created_at", operator=">", value=0)
    paging: StartingAfterPaging | None = StartingAfterPaging(per_page=10)
    found: list[str] = []
    while paging is not None:
        page = sdk.contacts.search(query=query, pagination=paging)
        found += [each.id for each in page.items]
        following = page.response.pages.next
        after = following and following.starting_after
        paging = StartingAfterPaging(per_page=10, starting_after=after) if after else None

    assert found[::-1] == small.ids("contacts")
    assert len(sdk.tickets.search(query=query).items) == 5
    assert sdk.contacts.find(small.ids("contacts")[0]).role == "user"


def test_a_library_with_a_wrong_token_is_told_so(server: IntercomServer) -> None:
    with httpx.Client() as client:
        headers = HEADERS["intercom"]
        wrong = Intercom(token="no", base_url=server.url, headers=headers, httpx_client=client)
        with pytest.raises(UnauthorizedError):
            wrong.admins.list()


def test_contacts_are_found_by_whole_days(server: IntercomServer) -> None:
    (today,) = server.insert("contacts")
    moment = server.get("contacts", today)["created_at"]
    server.advance(DAY)
    (tomorrow,) = server.insert("contacts")
    with asking(server) as client:

        def found(operator: str, value: int) -> list[str]:
            query = {"field": "created_at", "operator": operator, "value": value}
            return search_all(client, "contacts", query)

        assert found(">", moment - 1) == [tomorrow]
        assert found(">", moment - DAY) == [tomorrow, today]
        assert found("=", moment) == [today]
        assert len(found("<", moment)) == 320
        for operator in (">=", "<=", "!="):
            query = {"field": "updated_at", "operator": operator, "value": moment}
            assert search(client, "contacts", query).status_code == 400


def test_conversations_are_found_by_the_second(server: IntercomServer) -> None:
    first, second, *_ = server.ids("conversations")
    (fresh,) = server.insert("conversations")
    server.advance(1)
    server.update("conversations", second, state="open")
    moment = server.get("conversations", second)["updated_at"]
    query = {"field": "updated_at", "operator": ">", "value": moment}
    with asking(server) as client:
        assert search_all(client, "conversations", query) == [second]
        query["value"] = moment - 1
        assert set(search_all(client, "conversations", query)) == {second, fresh}
        query["value"] = 0
        assert first in search_all(client, "conversations", query)


@pytest.mark.parametrize("order", ["ascending", "descending"])
@pytest.mark.parametrize("field", ["created_at", "updated_at"])
def test_a_search_is_sorted_as_asked_and_counts_what_it_finds(
    server: IntercomServer, field: str, order: str
) -> None:
    ids = server.ids("contacts")
    server.update("contacts", ids[0], name="Changed")
    sort = {"field": field, "order": order}
    expected = ids if field == "created_at" else [*ids[1:], ids[0]]
    with asking(server) as client:
        assert search(client, "contacts", ALL, sort=sort).json()["total_count"] == 320
        found = search_all(client, "contacts", ALL, sort=sort)
        changed = {"field": "updated_at", "operator": ">", "value": 0}
        assert search(client, "contacts", changed).json()["total_count"] == 320
        is_lead = {"field": "role", "operator": "=", "value": "lead"}
        leads = {"operator": "AND", "value": [ALL, is_lead]}
        assert search(client, "contacts", leads).json()["total_count"] == 32

    assert found == (expected if order == "ascending" else expected[::-1])


def test_a_merged_contact_vanishes(server: IntercomServer) -> None:
    lead, user = server.ids("contacts")[9], server.ids("contacts")[0]

    server.merge(lead, into=user)

    with asking(server) as client:
        assert lead not in search_all(client, "contacts", ALL)
        assert client.get(f"/contacts/{lead}").status_code == 404
        assert client.get(f"/contacts/{user}").status_code == 200


def test_a_scroll_goes_on_to_an_empty_page_and_ends(server: IntercomServer) -> None:
    with asking(server) as client:
        page = client.get(SCROLL).json()
        param, sizes = page["scroll_param"], [len(page["data"])]
        while page["data"]:
            page = client.get(SCROLL, params={"scroll_param": param}).json()
            sizes.append(len(page["data"]))

        assert sizes == [100, 100, 50, 0]
        assert client.get(SCROLL, params={"scroll_param": param}).status_code == 404
        assert client.get(SCROLL).status_code == 200


def test_there_is_one_scroll_at_a_time(server: IntercomServer) -> None:
    with asking(server) as client:
        param = client.get(SCROLL).json()["scroll_param"]
        second = client.get(SCROLL)

        assert (second.status_code, second.json()["errors"][0]["code"]) == (400, "scroll_exists")
        assert client.get(SCROLL, params={"scroll_param": param}).status_code == 200


def test_a_scroll_dies_after_a_minute_without_a_request(server: IntercomServer) -> None:
    with asking(server) as client:
        param = client.get(SCROLL).json()["scroll_param"]
        server.advance(LASTS_SECONDS - 1)
        assert client.get(SCROLL, params={"scroll_param": param}).status_code == 200

        server.advance(LASTS_SECONDS)
        lost = client.get(SCROLL, params={"scroll_param": param})
        again = client.get(SCROLL).json()

    assert (lost.status_code, lost.json()["errors"][0]["code"]) == (404, "not_found")
    assert [row["id"] for row in again["data"]] == server.ids("companies")[:100]


def test_a_page_of_a_scroll_whose_answer_was_lost_does_not_come_again(
    server: IntercomServer,
) -> None:
    with asking(server) as client:
        param = client.get(SCROLL).json()["scroll_param"]
        server.fail("hangup")
        with pytest.raises(httpx.RemoteProtocolError):
            client.get(SCROLL, params={"scroll_param": param})
        page = client.get(SCROLL, params={"scroll_param": param}).json()

    assert [row["id"] for row in page["data"]] == server.ids("companies")[200:]


def test_a_scroll_shows_what_was_there_when_it_began(server: IntercomServer) -> None:
    before = server.ids("companies")
    with asking(server) as client:
        page = client.get(SCROLL).json()
        server.insert("companies", 3)
        server.delete("companies", before[10], before[150])
        shown = [row["id"] for row in page["data"]]
        while page["data"]:
            page = client.get(SCROLL, params={"scroll_param": page["scroll_param"]}).json()
            shown += [row["id"] for row in page["data"]]

    assert shown == [each for each in before if each != before[150]]


def test_each_answer_says_what_is_left_of_the_window(server: IntercomServer) -> None:
    server.limit(2, 10)
    with asking(server) as client:
        left = [client.get("/me").headers["X-RateLimit-Remaining"] for _ in range(2)]
        refused = client.get("/me")
        server.advance(10)
        again = client.get("/me")

    assert left == ["1", "0"]
    assert refused.status_code == 429
    assert refused.json()["errors"][0]["code"] == "rate_limit_exceeded"
    assert "Retry-After" not in refused.headers
    assert int(again.headers["X-RateLimit-Reset"]) > int(refused.headers["X-RateLimit-Reset"])
    assert again.status_code == 200


@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("contacts", {}, "parameter_invalid"),
        ("contacts", {"query": ALL, "limit": 5}, "parameter_invalid"),
        ("contacts", {"query": ALL, "pagination": {"per_page": 151}}, "parameter_invalid"),
        ("conversations", {"query": ALL, "pagination": {"per_page": 0}}, "parameter_invalid"),
        ("contacts", {"query": ALL, "pagination": {"starting_after": "x"}}, "client_error"),
        ("contacts", {"query": {**ALL, "value": "today"}}, "parameter_invalid"),
        ("contacts", {"query": {**ALL, "field": "shoe_size"}}, "invalid_field"),
        ("contacts", {"query": ALL, "sort": {"order": "desc"}}, "invalid_sort_order"),
        ("contacts", {"query": "everything"}, "invalid_query"),
    ],
)
def test_a_wrong_search_is_refused(
    server: IntercomServer, name: str, body: dict[str, Any], code: str
) -> None:
    with asking(server) as client:
        answer = client.post(f"/{name}/search", json=body)

    assert answer.status_code == 400
    assert answer.json()["type"] == "error.list"
    assert answer.json()["errors"][0]["code"] == code


@pytest.mark.parametrize("version", ["", "2.13", "latest"])
def test_a_request_needs_its_version(server: IntercomServer, version: str) -> None:
    with asking(server, **{"Intercom-Version": version}) as client:
        answer = client.get("/me")

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "intercom_version_invalid"
