"""The local Notion keeps Notion's rules, as a client library and a strict reader see them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any, TypeAlias

import httpx
import pytest
from notion_client import APIResponseError, Client
from notion_client.helpers import collect_paginated_api

from leasehold_sync.servers import NotionServer
from tests.sync.servers.asking import asking

Sdk: TypeAlias = Any  # its types say that anything may have to be awaited
SOURCES = {"filter": {"property": "object", "value": "data_source"}}
OLDEST_FIRST = [{"timestamp": "created_time", "direction": "ascending"}]


@pytest.fixture
def server() -> Iterator[NotionServer]:
    with NotionServer(rows={"pages": 250, "users": 130}) as server:
        yield server


@pytest.fixture
def sdk(server: NotionServer) -> Iterator[Sdk]:
    logger = logging.getLogger("tests.notion")
    client = Client(auth=server.key, base_url=server.url, retry=False, logger=logger)
    yield client
    client.close()


def source_ids(sdk: Sdk) -> list[str]:
    found = collect_paginated_api(sdk.search, **SOURCES)
    return [each["id"] for each in found]


def created_on_or_after(moment: str) -> dict[str, Any]:
    return {"timestamp": "created_time", "created_time": {"on_or_after": moment}}


def pages_of(sdk: Sdk, source: str, **asked: Any) -> list[dict[str, Any]]:
    return collect_paginated_api(sdk.data_sources.query, data_source_id=source, **asked)


def test_the_client_library_reads_all_pages_of_all_data_sources(
    server: NotionServer, sdk: Sdk
) -> None:
    sources = source_ids(sdk)
    read = [page["id"] for source in sources for page in pages_of(sdk, source)]

    assert len(sources) == 2
    assert sorted(read) == sorted(server.ids("pages"))
    found = collect_paginated_api(sdk.search)
    assert {each["id"] for each in found} == {*sources, *read}


def test_the_client_library_reads_users_databases_and_long_pages(
    server: NotionServer, sdk: Sdk
) -> None:
    long_page = server.ids("pages")[99]
    source = sdk.data_sources.retrieve(source_ids(sdk)[0])
    database = sdk.databases.retrieve(source["parent"]["database_id"])

    assert len(collect_paginated_api(sdk.users.list)) == 130
    assert sdk.users.me()["type"] == "bot"
    assert {each["id"] for each in database["data_sources"]} == set(source_ids(sdk))
    blocks = collect_paginated_api(sdk.blocks.children.list, block_id=long_page)
    assert len({block["id"] for block in blocks}) == 150
    assert sdk.pages.retrieve(long_page)["id"] == long_page


def test_a_query_ends_after_ten_thousand_and_says_that_it_is_not_whole() -> None:
    with (
        NotionServer(rows={"pages": 10_050, "data_sources": 1}) as server,
        asking(server) as client,
    ):
        (source,) = server.ids("data_sources")
        seen = 0
        answer: dict[str, Any] = {"has_more": True}
        body: dict[str, Any] = {"page_size": 100, "sorts": OLDEST_FIRST}
        while answer["has_more"]:
            answer = client.post(f"/v1/data_sources/{source}/query", json=body).json()
            seen += len(answer["results"])
            body["start_cursor"] = answer["next_cursor"]
        last = answer["results"][-1]["created_time"]
        again = {"sorts": OLDEST_FIRST, "filter": created_on_or_after(last)}
        rest = client.post(f"/v1/data_sources/{source}/query", json=again).json()

    assert seen == 10_000
    assert answer["next_cursor"] is None
    assert answer["request_status"] == {
        "type": "incomplete",
        "incomplete_reason": "query_result_limit_reached",
    }
    assert rest["request_status"] == {"type": "complete"}
    assert len(rest["results"]) >= 50


def test_times_are_minutes_in_rows_and_in_filters(server: NotionServer, sdk: Sdk) -> None:
    source = source_ids(sdk)[0]
    pages = pages_of(sdk, source, sorts=OLDEST_FIRST)
    moment = pages[40]["created_time"]
    sharing = [page for page in pages if page["created_time"] == moment]

    def found(**condition: str) -> list[dict[str, Any]]:
        wanted = {"timestamp": "created_time", "created_time": condition}
        return pages_of(sdk, source, filter=wanted, sorts=OLDEST_FIRST)

    assert moment.endswith(":00.000Z")
    assert len(sharing) > 1
    assert found(equals=moment) == sharing
    assert found(on_or_after=moment) + found(before=moment) == [
        page for page in pages if page["created_time"] >= moment
    ] + [page for page in pages if page["created_time"] < moment]
    assert found(after=moment) == [page for page in pages if page["created_time"] > moment]
    assert found(on_or_before=moment) == [page for page in pages if page["created_time"] <= moment]


def test_what_was_edited_is_found_by_its_time(server: NotionServer, sdk: Sdk) -> None:
    edited_page = server.ids("pages")[1]
    (fresh,) = server.insert("pages")
    server.advance(120)
    server.update("pages", edited_page, icon={"type": "emoji", "emoji": "☀"})
    since = server.get("pages", fresh)["last_edited_time"]
    edited = {"timestamp": "last_edited_time", "last_edited_time": {"on_or_after": since}}

    found = [
        page["id"] for source in source_ids(sdk) for page in pages_of(sdk, source, filter=edited)
    ]

    assert sorted(found) == sorted([edited_page, fresh])
    pages = sdk.search(filter={"property": "object", "value": "page"}, page_size=2)["results"]
    assert [page["id"] for page in pages] == [edited_page, fresh]


def test_a_page_in_the_trash_is_found_by_its_id_alone(server: NotionServer, sdk: Sdk) -> None:
    gone = server.ids("pages")[10]
    server.delete("pages", gone)

    listed = [page["id"] for source in source_ids(sdk) for page in pages_of(sdk, source)]

    assert len(listed) == 249
    assert gone not in listed
    assert sdk.pages.retrieve(gone)["in_trash"]


@pytest.mark.parametrize("direction", ["ascending", "descending"])
@pytest.mark.parametrize("sort", ["created_time", "last_edited_time"])
def test_rows_that_come_or_go_while_somebody_reads_hide_no_others(
    server: NotionServer, sdk: Sdk, sort: str, direction: str
) -> None:
    source = source_ids(sdk)[0]
    asked = {"sorts": [{"timestamp": sort, "direction": direction}], "page_size": 50}
    before = {page["id"] for page in pages_of(sdk, source)}
    page = sdk.data_sources.query(source, **asked)
    last = page["results"][-1]["id"]

    server.delete("pages", last)
    server.insert("pages", 4)
    read = [each["id"] for each in page["results"]]
    read += [
        each["id"] for each in pages_of(sdk, source, **asked, start_cursor=page["next_cursor"])
    ]

    assert before <= set(read)
    assert len(read) == len(set(read))


@pytest.mark.parametrize(
    ("path", "body", "code", "said"),
    [
        ("search", {"page_size": 101}, "validation_error", "≤ `100`"),
        ("search", {"page_size": 0}, "validation_error", "≥ `1`"),
        ("search", {"page_size": "5"}, "validation_error", "a number"),
        ("search", {"start_cursor": "abc"}, "validation_error", "valid uuid"),
        ("search", {"limit": 5}, "validation_error", "body.limit"),
        ("search", {"filter": {"property": "object", "value": "database"}}, "validation_error", ""),
        ("search", b"{", "invalid_json", "parsing"),
        ("search", [], "validation_error", "object"),
        ("query", {"sorts": [{"timestamp": "size", "direction": "up"}]}, "validation_error", ""),
        ("query", {"filter": {"property": "Name"}}, "validation_error", "body.filter"),
        ("query", {"filter": created_on_or_after("soon")}, "validation_error", "ISO 8601"),
    ],
)
def test_a_wrong_body_is_refused_with_its_reason(
    server: NotionServer, path: str, body: Any, code: str, said: str
) -> None:
    query = f"data_sources/{server.ids('data_sources')[0]}/query"
    sent: Any = {"content": body} if isinstance(body, bytes) else {"json": body}
    with asking(server) as client:
        answer = client.post(f"/v1/{query if path == 'query' else path}", **sent)

    error = answer.json()
    assert (answer.status_code, error["code"], error["object"]) == (400, code, "error")
    assert said in error["message"]


def test_a_cursor_is_good_for_its_own_query_only(server: NotionServer, sdk: Sdk) -> None:
    source = source_ids(sdk)[0]
    cursor = sdk.data_sources.query(source, page_size=10)["next_cursor"]

    with pytest.raises(APIResponseError) as refused:
        sdk.data_sources.query(source, sorts=OLDEST_FIRST, start_cursor=cursor)

    assert refused.value.code == "validation_error"


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Authorization": "Bearer ntn_other"}, 401, "unauthorized"),
        ({"Notion-Version": "2022-06-28"}, 400, "validation_error"),
    ],
)
def test_a_request_needs_its_key_and_its_version(
    server: NotionServer, headers: dict[str, str], status: int, code: str
) -> None:
    with asking(server, **headers) as client:
        answer = client.get("/v1/users")
    assert (answer.status_code, answer.json()["code"]) == (status, code)

    bare = httpx.get(f"{server.url}/v1/users", headers={"Authorization": f"Bearer {server.key}"})
    assert bare.json()["code"] == "missing_version"


@pytest.mark.parametrize(("status", "code"), [(429, "rate_limited"), (529, "service_overload")])
def test_who_is_to_wait_is_told_for_how_many_edited_pages(
    server: NotionServer, status: int, code: str
) -> None:
    server.fail(status, retry_after=7)

    with asking(server) as client:
        answer = client.get("/v1/users")

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["Retry-After"] == "7"


def test_what_is_not_there_is_not_found(server: NotionServer, sdk: Sdk) -> None:
    nobody = "00000000-0000-4000-8000-000000000000"

    with pytest.raises(APIResponseError) as refused:
        sdk.data_sources.query(nobody)
    assert (refused.value.status, refused.value.code) == (404, "object_not_found")
    with asking(server) as client:
        assert client.get("/v1/nothing").json()["code"] == "invalid_request_url"
