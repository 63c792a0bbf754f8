"""What every connector keeps, whatever its source pages by. Inherit it, and say how to open one.

    class TestStripe(ConnectorConformance):
        @contextmanager
        def opened(self, rows: int) -> Iterator[Source]:
            with StripeServer(rows={"customers": rows}) as server:
                yield Source(connector=StripeConnector, server=server, resource="customers", …)

The runner deletes what a complete scan did not see. So the heart of it is: a scan that says that it
is complete has seen every row that was there all along, whatever happened to others meanwhile.
"""

from __future__ import annotations

import dataclasses
import json
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import leasehold as lh
from leasehold_sync.connectors import Http
from leasehold_sync.connectors.errors import (
    BadAnswer,
    BadConfig,
    EmptyPageLoop,
    PageTooLarge,
    RateLimited,
    SourceFailed,
    SourceUnavailable,
    Unauthorised,
)
from leasehold_sync.model.pages import Page
from leasehold_sync.testing.sources import Source, items_in, names_in

ROWS = 350  # several pages of any source


def refused(source: Source, kind: type[SourceFailed], cursor: str | None = None) -> SourceFailed:
    """Read a page that can't be read, and return the error of it."""
    try:
        source.page(cursor)
    except kind as error:
        return error
    raise AssertionError(f"a page was read instead of {kind.__name__}")


class ConnectorConformance(ABC):
    """Inherited by the tests of a connector; each test opens a source of its own."""

    #: Whether the API says that more follows. If not, an empty page is simply the end.
    says_more: ClassVar[bool] = True
    #: Whether the API can be asked for what has changed.
    tells_changes: ClassVar[bool] = True
    #: Whether its objects say when they were made.
    says_when_made: ClassVar[bool] = True

    @abstractmethod
    def opened(self, rows: int) -> AbstractContextManager[Source]:
        """Open a server with so many rows, and say how it is read."""

    def whole(self, source: Source, since: datetime | None = None) -> list[Page]:
        return list(source.scan(since))

    # -- a scan

    def test_a_full_scan_sees_every_row_and_says_that_it_is_complete(self) -> None:
        with self.opened(ROWS) as source:
            pages = self.whole(source)
            assert names_in(pages) == set(source.ids())
            assert [page.complete for page in pages] == [False] * (len(pages) - 1) + [True]
            assert not any(page.capped or page.nameless for page in pages)
            assert len(pages) > 1, "one page says nothing about paging"

    def test_an_empty_source_has_been_seen_whole(self) -> None:
        with self.opened(0) as source:
            pages = self.whole(source)
            assert items_in(pages) == []
            assert pages[-1].complete

    def test_cursors_are_texts_that_never_come_twice(self) -> None:
        with self.opened(ROWS) as source:
            cursors = [page.next_cursor for page in self.whole(source)]
            assert cursors[-1] is None
            assert len(set(cursors)) == len(cursors)
            assert all(isinstance(cursor, str) for cursor in cursors[:-1])

    def test_items_carry_what_the_runner_needs(self) -> None:
        with self.opened(3) as source:
            pages = self.whole(source)
            assert all(page.version for page in pages)
            for item in items_in(pages):
                assert item.collection == source.resource
                assert item.as_of.tzinfo is not None
                assert (item.created_at is not None) == self.says_when_made
                json.dumps(item.read_payload())

    def test_the_same_page_can_be_read_again(self) -> None:
        with self.opened(ROWS) as source:
            first = source.page()
            again = source.page(first.next_cursor)
            once_more = source.page(first.next_cursor)
            assert names_in([again]) == names_in([once_more])

    # -- a source that changes meanwhile

    def test_rows_deleted_meanwhile_hide_no_others(self) -> None:
        with self.opened(ROWS) as source:
            doomed = self._of_each_page(source)

            def delete(_number: int, page: Page) -> None:
                gone = [item.external_id for item in page.items if item.external_id in doomed]
                source.server.delete(source.rows, *gone)

            self._is_honest(source, list(source.scan(between=delete)))
            assert self.whole(source)[-1].complete

    def test_rows_inserted_meanwhile_hide_no_others(self) -> None:
        with self.opened(ROWS) as source:
            there = set(source.ids())
            pages = list(source.scan(between=lambda *_: source.server.insert(source.rows, 7)))
            assert there <= names_in(pages) or not pages[-1].complete

    def test_a_scan_goes_on_when_the_last_row_that_it_saw_is_gone(self) -> None:
        with self.opened(ROWS) as source:

            def delete_last(_number: int, page: Page) -> None:
                if page.items:
                    source.server.delete(source.rows, page.items[-1].external_id)

            pages = list(source.scan(between=delete_last))
            assert set(source.ids()) <= names_in(pages)

    def _of_each_page(self, source: Source) -> set[str]:
        return {item.external_id for page in self.whole(source) for item in page.items[:3]}

    @staticmethod
    def _is_honest(source: Source, pages: list[Page]) -> None:
        assert set(source.ids()) <= names_in(pages) or not pages[-1].complete

    # -- bounds

    def test_a_full_scan_brings_nothing_that_was_made_before(self) -> None:
        if not self.says_when_made:
            return
        with self.opened(ROWS) as source:
            by_name = {item.external_id: item.created_at for item in items_in(self.whole(source))}
            made = sorted(moment for moment in by_name.values() if moment)
            begins = made[len(made) // 2]
            config = dataclasses.replace(source.config, sync_from=begins)
            pages = self.whole(dataclasses.replace(source, config=config))
            assert len(names_in(pages)) == sum(moment >= begins for moment in made)
            assert pages[-1].complete

    def test_changes_are_seen_and_never_called_complete(self) -> None:
        with self.opened(ROWS) as source:
            changed = source.ids()[17]
            since = datetime.now(UTC) - timedelta(minutes=1)
            source.server.update(source.rows, changed, name="Another Name")
            pages = self.whole(source, since)
            assert changed in names_in(pages)
            assert pages[-1].complete is not self.tells_changes
            assert self.tells_changes is (len(names_in(pages)) < ROWS)

    # -- refusals

    def test_a_refused_credential_is_not_tried_again_and_never_shown(self) -> None:
        with self.opened(3) as source:
            secret = "sk_wrong_0123456789abcdef"  # noqa: S105  # nosec B105  # nobody's
            config = dataclasses.replace(source.config, credential=lh.Secret(secret))
            error = refused(dataclasses.replace(source, config=config), Unauthorised)
            assert not error.may_retry
            assert secret not in f"{error!r} {error}"

    def test_403_is_a_refused_credential(self) -> None:
        with self.opened(3) as source:
            source.server.fail(403)
            refused(source, Unauthorised)

    def test_429_says_how_long_to_rest(self) -> None:
        with self.opened(3) as source:
            source.server.fail(429, retry_after=7)
            error = refused(source, RateLimited)
            assert isinstance(error, RateLimited)
            assert 6 <= error.after_seconds <= 8, "some say when, by a clock of whole seconds"
            source.server.fail(429)
            error = refused(source, RateLimited)
            assert isinstance(error, RateLimited)
            assert 0 < error.after_seconds <= 60

    def test_a_server_error_may_be_tried_again(self) -> None:
        with self.opened(3) as source:
            for trouble in (500, 503, "html", "hangup"):
                source.server.fail(trouble)
                assert refused(source, SourceUnavailable).may_retry
            assert len(names_in(self.whole(source))) == 3

    def test_what_is_no_page_of_the_api_is_a_bad_answer(self) -> None:
        with self.opened(3) as source:
            for trouble in ("not_json", "truncated", "cut"):
                source.server.fail(trouble)
                refused(source, BadAnswer)
            source.server.fail("html_ok")
            assert "HTML" in str(refused(source, BadAnswer)), "people are told what it was"

    def test_a_page_over_the_limit_is_not_read(self) -> None:
        with self.opened(3) as source:
            source.server.fail("huge")
            assert not refused(source, PageTooLarge).may_retry

    def test_a_source_that_says_nothing_costs_no_more_than_the_time_left(self) -> None:
        with self.opened(3) as source, Http(time_left=lambda: 0.2) as http:
            source.server.fail("silence")
            try:
                source.page(http=http)
            except SourceUnavailable:
                return
            raise AssertionError("a page was read from a source that says nothing")

    def test_more_without_rows_is_an_error_and_no_loop(self) -> None:
        if not self.says_more:
            return
        with self.opened(ROWS) as source:
            cursor = self._cursor_to_rows(source)
            source.server.fail("empty_page")
            refused(source, EmptyPageLoop, cursor)

    # -- odd rows

    def test_a_row_without_id_is_counted_and_the_page_goes_on(self) -> None:
        with self.opened(ROWS) as source:
            cursor = self._cursor_to_rows(source)
            usual = source.page(cursor)
            source.server.fail("no_id")
            odd = source.page(cursor)
            assert odd.nameless == 1
            assert len(odd.items) == len(usual.items) - 1

    def test_text_comes_without_nul(self) -> None:
        with self.opened(ROWS) as source:
            cursor = self._cursor_to_rows(source)
            source.server.fail("nul")
            notes = [item.read_payload().get("note") for item in source.page(cursor).items]
            assert "beforeafter" in notes

    def test_whole_numbers_of_any_size_are_kept(self) -> None:
        with self.opened(1) as source:
            (name,) = source.ids()
            source.server.update(source.rows, name, big=2**80 + 1)
            (item,) = items_in(self.whole(source))
            assert item.read_payload()["big"] == 2**80 + 1

    # -- what it says of itself

    def test_it_names_itself_its_version_and_its_resources(self) -> None:
        with self.opened(0) as source:
            names = [resource.name for resource in source.connector.resources]
            assert source.resource in names
            assert len(set(names)) == len(names)
            assert source.connector.name
            assert source.connector.version

    def test_an_app_that_can_not_be_read_is_refused_without_asking(self) -> None:
        with self.opened(0) as source, Http() as http:
            connector = source.connector(http)
            connector.validate(source.config)
            for wrong in (
                dataclasses.replace(source.config, credential=lh.Secret("")),
                dataclasses.replace(source.config, credential=lh.Secret("two\r\nlines")),
                dataclasses.replace(source.config, base_url="ftp://files.example"),
            ):
                try:
                    connector.validate(wrong)
                except BadConfig as error:
                    assert "two" not in str(error)
                else:
                    raise AssertionError("an app that can't be read was accepted")
            assert source.server.count() == 0

    def test_an_unknown_resource_and_a_strange_cursor_are_refused(self) -> None:
        with self.opened(1) as source:
            refused(dataclasses.replace(source, resource="unicorns"), BadConfig)
            refused(source, BadConfig, "another connector's")

    def _cursor_to_rows(self, source: Source) -> str | None:
        """Return the cursor of the first page that has rows: some sources are listed first."""
        cursor = None
        while not (page := source.page(cursor)).items:
            assert page.next_cursor is not None
            cursor = page.next_cursor
        return cursor
