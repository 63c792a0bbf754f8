"""Keys as callers use them: options, keys of arguments, answers, errors."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import psycopg
import pytest

import leasehold as lh
from leasehold import testing
from leasehold.aio import AsyncClient
from leasehold.errors import BadArguments, BadOption, KeyHeld
from leasehold.model.ids import WorkerId
from leasehold.model.values import Want
from tests.api.conftest import empty
from tests.api.connections import KINDS, PAIRS, Handle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.client import Client


@lh.task(name="enrich", key=lh.by("link_id"))
def enrich(link_id: UUID, host: str = "a.com") -> None: ...


@lh.task(name="join", key=lh.by("left", "right"))
def join(left: str, right: str = "b", weight: float = 1.0) -> None: ...


@lh.task(name="all", key=lh.by())
def by_all(one: int, two: float = 2.0) -> None: ...


@lh.task(name="plain")
def plain(number: int) -> None: ...


def claim_all(client: Client) -> None:
    assert client.store.claim(WorkerId(1), [Want("default", 9)], limit=9, leases={"plain": 60.0})


def key_of(client: Client, job_id: UUID) -> str | None:
    return client.get(job_id).key


def test_the_answer_says_which_job_stands_and_why_none_was_made(client: Client) -> None:
    link = uuid4()
    first = client.enqueue(enrich, link)
    assert (first.is_new, first.held, first.replaced, first.behind) == (True, None, None, None)
    second = client.enqueue(enrich, link, "other.com")
    assert (second.id, second.is_new, second.held) == (first.id, False, "live")
    assert client.enqueue(enrich, uuid4()).is_new


def test_the_answer_says_whose_place_a_job_has_and_whom_it_waits_for(client: Client) -> None:
    newest = plain.with_options(key="k", on_duplicate="replace")
    first = client.enqueue(newest, 1)
    second = client.enqueue(newest, 2)
    assert (second.is_new, second.replaced) == (True, first.id)
    claim_all(client)
    third = client.enqueue(newest, 3)
    assert (third.is_new, third.behind, third.held) == (True, second.id, None)


def test_the_answer_says_until_when_a_key_is_held(client: Client) -> None:
    once = plain.with_options(key="k", unique_for="1h")
    first = client.enqueue(once, 1)
    client.cancel(first.id)
    again = client.enqueue(once, 1)
    assert (again.held, again.id) == ("period", first.id)
    assert again.held_until is not None
    passed = again.held_until - client.get(first.id).created_at
    assert passed.total_seconds() == pytest.approx(3600)


def test_a_debounced_job_answers_with_its_new_time(client: Client) -> None:
    soon = plain.with_options(key="k", on_duplicate="debounce", delay="5s")
    first = client.enqueue(soon, 1)
    client.store.skew_seconds += 2
    again = client.enqueue(soon, 1)
    assert (again.held, again.id) == ("pushed", first.id)
    assert again.held_until == client.get(first.id).run_at


def test_a_key_of_arguments_is_its_kinds_own(client: Client) -> None:
    job = client.enqueue(join, "a", "c")
    assert key_of(client, job.id) == 'join["a","c"]'
    other = lh.task(name="other", key=lh.by("left", "right"))(join.handler)
    assert client.enqueue(other, "a", "c").is_new


def test_arguments_that_join_to_the_same_text_are_different_keys(client: Client) -> None:
    assert client.enqueue(join, "a:b", "c").is_new
    assert client.enqueue(join, "a", "b:c").is_new


def test_a_default_argument_is_the_same_key_as_giving_it(client: Client) -> None:
    client.enqueue(join, "a")
    assert not client.enqueue(join, "a", "b").is_new
    assert not client.enqueue(join, right="b", left="a", weight=7).is_new


def test_values_are_the_same_key_when_the_handler_gets_the_same(client: Client) -> None:
    client.enqueue(by_all, 1)
    assert not client.enqueue(by_all, 1, 2).is_new  # 2 is read as 2.0
    link = uuid4()
    client.enqueue(enrich, link)
    assert not client.enqueue(enrich, str(link).upper()).is_new  # type: ignore[arg-type] # text is read as a UUID
    assert client.enqueue(by_all, 2).is_new


def test_a_text_is_shared_by_kinds(client: Client) -> None:
    first = client.enqueue(plain.with_options(key="sync:shop"), 1)
    assert client.enqueue(join.with_options(key="sync:shop"), "a").id == first.id


def test_a_key_can_be_taken_off_one_job(client: Client) -> None:
    link = uuid4()
    client.enqueue(enrich.with_options(cooldown="1h"), link)
    free = enrich.with_options(cooldown="1h").with_options(key=None)
    assert client.enqueue(free, link).is_new


def test_keys_are_per_tenant(client: Client) -> None:
    keyed = plain.with_options(key="k")
    assert client.enqueue(keyed.with_options(tenant="acme"), 1).is_new
    assert client.enqueue(keyed.with_options(tenant="globex"), 1).is_new
    found = client.key("k", tenant="acme")
    assert found is not None
    assert client.get(found.holder).tenant == "acme"
    assert client.key("k") is None


def test_enqueue_all_answers_in_order(client: Client) -> None:
    client.enqueue(join, "b")
    calls = [join.call("a"), join.call("b"), plain.call(1), join.call("a"), join.call("c")]
    answers = client.enqueue_all(calls, chunk=2)
    assert [each.is_new for each in answers] == [True, False, True, False, True]
    assert answers[3].id == answers[0].id
    assert [client.get(answers[index].id).args.get("left") for index in (0, 1, 4)] == [*"abc"]


def test_enqueue_many_counts_what_was_made(client: Client) -> None:
    calls = [join.call("a"), join.call("a"), plain.call(1), join.call("b")]
    assert client.enqueue_many(calls) == 3
    assert client.enqueue_many(calls) == 1


def test_by_name_a_key_is_made_of_what_is_given(client: Client) -> None:
    client.enqueue(join, "a", "b")
    again = client.enqueue_by_name("join", {"left": "a", "right": "b"}, key=lh.by("left", "right"))
    assert again.held == "live"
    with pytest.raises(BadArguments, match="'right'"):
        client.enqueue_by_name("join", {"left": "a"}, key=lh.by("left", "right"))
    with pytest.raises(BadOption, match="name the arguments"):
        client.enqueue_by_name("join", {"left": "a"}, key=lh.by())


def test_the_same_id_goes_before_the_key(client: Client) -> None:
    own = plain.with_options(id=uuid4(), key="k")
    assert client.enqueue(own, 1).is_new
    again = client.enqueue(own, 1)
    assert (again.is_new, again.held, again.id) == (False, None, own.options.job_id)


def test_a_key_is_shown_and_forgotten(client: Client) -> None:
    once = plain.with_options(key="k", unique_for="ever")
    job = client.enqueue(once, 1)
    with pytest.raises(KeyHeld, match=f"key 'k' can't be forgotten: it is with job {job.id}"):
        client.forget_key("k")
    testing.drain(client, [plain])
    found = client.key("k")
    assert found is not None
    assert (found.holder, found.holder_state, found.is_live) == (
        job.id,
        lh.State.SUCCEEDED,
        False,
    )
    assert client.enqueue(once, 1).held == "ever"
    assert client.forget_key("k") is True
    assert client.forget_key("k") is False
    assert client.key("k") is None


def test_jobs_are_found_by_their_key(client: Client) -> None:
    newest = plain.with_options(key="k", on_duplicate="replace")
    client.enqueue(newest, 1)
    second = client.enqueue(newest, 2)
    client.enqueue(plain.with_options(key="other"), 3)
    assert [job.id for job in client.find(key="k")] == [second.id]
    claim_all(client)
    third = client.enqueue(newest, 4)
    assert [job.id for job in client.find(key="k")] == [third.id, second.id]
    assert [job.id for job in client.find(key="k", state="running")] == [second.id]
    assert client.find(key="nobody's") == []


def test_retry_by_hand_names_the_job_that_has_the_key(client: Client) -> None:
    keyed = plain.with_options(key="k")
    first = client.enqueue(keyed, 1)
    client.cancel(first.id)
    second = client.enqueue(keyed, 1)
    with pytest.raises(KeyHeld, match=str(second.id)) as refused:
        client.retry(first.id)
    assert "can't be retried" in str(refused.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cooldown": "1h"}, "cooldown: needs a key"),
        ({"on_duplicate": "replace"}, "on_duplicate: needs a key"),
        ({"unique_for": "ever"}, "unique_for: needs a key"),
        ({"max_wait": "1h"}, "max_wait: needs a key"),
        ({"key": ""}, "not a name"),
        ({"key": "a\n"}, "not a name"),
        ({"key": "k" * 201}, "longer than 200"),
        ({"key": 7}, "not a name"),
        ({"key": lh.TENANT}, "tenant's own already"),
        ({"key": lh.by("nobody")}, "none of its arguments"),
        ({"key": "k", "on_duplicate": "never"}, "'skip', 'replace', 'debounce', 'latest'"),
        ({"key": "k", "unique_for": "long"}, "can't read 'long'"),
        ({"key": "k", "unique_for": 0}, "longer than 0"),
        ({"key": "k", "cooldown": 0}, "longer than 0"),
        ({"key": "k", "cooldown": -1}, "not between"),
        ({"key": "k", "max_wait": "1m"}, "max_wait: is for"),
        ({"key": "k", "on_duplicate": "latest", "max_wait": "1m"}, "max_wait: is for"),
        (
            {"key": "k", "on_duplicate": "replace", "delay": "5m", "max_wait": "1m"},
            "must not be shorter",
        ),
        (
            {"key": "k", "on_duplicate": "debounce", "run_at": datetime.now(UTC)},
            "give delay, not run_at",
        ),
    ],
)
def test_words_that_do_not_fit_are_refused_where_they_are_said(
    options: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadOption, match=said):
        plain.with_options(**options)


def test_debounce_needs_a_delay_when_a_job_is_made(client: Client) -> None:
    soon = lh.task(name="soon", key=lh.by("number"), on_duplicate="debounce")(plain.handler)
    with pytest.raises(BadOption, match="needs a delay"):
        client.enqueue(soon, 1)
    assert client.enqueue(soon.with_options(delay="5s"), 1).is_new


def test_async_callers_have_the_same_verbs(store_url: str) -> None:
    async def use() -> None:
        async with AsyncClient(store_url) as client:
            first = await client.enqueue(join, "a")
            answers = await client.enqueue_all([join.call("a"), join.call("b")])
            assert [each.is_new for each in answers] == [False, True]
            found = await client.key('join["a","b"]')
            assert found is not None
            assert found.holder == first.id
            with pytest.raises(KeyHeld):
                await client.forget_key('join["a","b"]')

    asyncio.run(use())


@pytest.fixture(params=PAIRS, ids=lambda pair: f"{pair[0]}-on-{pair[1]}")
def handle(request: pytest.FixtureRequest) -> Iterator[tuple[Handle, str]]:
    kind, backend = request.param
    url = empty(request.getfixturevalue(f"api_{backend}_url"))
    with KINDS[kind][0](url) as opened:
        yield opened, url


def test_on_a_callers_connection_a_rolled_back_enqueue_holds_nothing(
    handle: tuple[Handle, str],
) -> None:
    opened, url = handle
    client = opened.client(url)
    keyed = plain.with_options(key="k")
    try:
        caller = client.on(opened.target)
        first = opened.call(caller.enqueue(keyed, 1))
        assert first.is_new
        again = opened.call(caller.enqueue(keyed, 1))
        assert (again.id, again.held) == (first.id, "live")
        opened.rollback()
        with lh.Client(url) as other:
            assert other.enqueue(keyed, 1).is_new
    finally:
        opened.call(client.close())


def test_on_a_callers_connection_a_key_is_taken_with_the_commit(
    handle: tuple[Handle, str],
) -> None:
    opened, url = handle
    client = opened.client(url)
    keyed = plain.with_options(key="k", on_duplicate="replace")
    try:
        with lh.Client(url) as other:
            first = other.enqueue(keyed, 1)
            second = opened.call(client.on(opened.target).enqueue(keyed, 2))
            assert second.replaced == first.id
            opened.commit()
            assert other.get(first.id).state is lh.State.CANCELLED
            assert [job.id for job in other.find(key="k")] == [second.id]
    finally:
        opened.call(client.close())


def test_sql_enqueues_with_a_key(api_postgres_url: str) -> None:
    url = empty(api_postgres_url)
    with contextlib.closing(psycopg.connect(url, autocommit=True)) as sql:

        def enqueue(words: str) -> UUID:
            row = sql.execute(f"SELECT leasehold.enqueue('plain', {words})".encode()).fetchone()
            assert row is not None
            found: UUID = row[0]
            return found

        first = enqueue("key => 'k', unique_for => 'ever'")
        assert enqueue("key => 'k'") == first
        newer = enqueue("key => 'k', on_duplicate => 'replace'")
        assert newer != first
        with lh.Client(url) as client:
            client.cancel(newer)
            assert enqueue("key => 'k', unique_for => 'ever'") == newer
            assert enqueue("key => 'k', unique_for => '1 hour'") == newer
            assert enqueue("key => 'k', cooldown => '1 hour'") != newer
        for words in ("cooldown => '1 hour'", "key => ''", "key => 'k', on_duplicate => 'never'"):
            with pytest.raises(psycopg.errors.InvalidParameterValue, match="needs a key"):
                enqueue(words)


def test_sql_enqueues_many_with_documents_that_have_keys(api_postgres_url: str) -> None:
    url = empty(api_postgres_url)
    ids = [uuid4() for _ in range(4)]
    document = (
        f'[{{"id": "{ids[0]}", "kind": "plain", "unique": {{"key": "k"}}}},'
        f' {{"id": "{ids[1]}", "kind": "plain", "unique": {{"key": "k"}}}},'
        f' {{"id": "{ids[2]}", "kind": "plain"}},'
        f' {{"id": "{ids[3]}", "kind": "plain", "unique": {{"key": "k", "mode": "replace"}}}}]'
    )
    with contextlib.closing(psycopg.connect(url, autocommit=True)) as sql:
        many = sql.execute("SELECT * FROM leasehold.enqueue_many(%s)", (document,)).fetchall()
        assert many == [(ids[1],)]
        keyed = "SELECT asked, standing, verdict FROM leasehold.enqueue_keyed(%s)"
        again = sql.execute(keyed, (document,)).fetchall()
    assert [row for row in again if row[0] == ids[1]] == [(ids[1], ids[3], "live")]
    assert all(verdict == "same" for asked, _, verdict in again if asked != ids[1])
