"""The library in a real browser: files are dropped, bars move, links come to life by themselves."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

import leasehold as lh
from leasehold_links import curating, importing
from leasehold_links.data.tables import canonical, link
from leasehold_links.tasks import enrich, import_file
from leasehold_links.web import application
from tests.browser.kit import PHONE, visiting
from tests.browser.test_pages import reading, serious_in
from tests.kit.serving import serving
from tests.links.jobs.kit import begin_import, run_imports
from tests.links.odd_web import HTML, OddWeb, page

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from leasehold.kit.data import Database
    from tests.browser.kit import Visit

# Where the database makes no difference to a page.
ONCE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
DROP = """
([selector, name, text]) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], name, { type: "text/html" }));
  const where = document.querySelector(selector);
  for (const kind of ["dragenter", "dragover", "drop"]) {
    const options = { bubbles: true, cancelable: true, dataTransfer: carried };
    where.dispatchEvent(new DragEvent(kind, options));
  }
}
"""


def bookmarks(*urls: str, extra: str = "") -> str:
    entries = "".join(f'<DT><A HREF="{url}">Number {n}</A>' for n, url in enumerate(urls))
    return f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>{entries}{extra}</DL>"


def mark(page: Page) -> None:
    """Leave something that a reload would take away."""
    page.evaluate("window.mark = 'here'")


def is_same(page: Page) -> bool:
    return bool(page.evaluate("window.mark === 'here'"))


def enrich_all(client: lh.Client) -> None:
    lh.Worker(client, [enrich]).run(until_empty=True)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Lets an import go on by one step of ten lines at a time."""
    steps = threading.Semaphore(0)
    real = importing.Importer._take_step

    def take_step(importer: Any, lines: Any) -> None:
        steps.acquire(timeout=60)
        real(importer, lines)

    monkeypatch.setattr("leasehold_links.bookmarks.lines.STEP", 10)
    monkeypatch.setattr("leasehold_links.bookmarks.lines._LATER", 1)
    monkeypatch.setattr(importing.Importer, "_take_step", take_step)
    yield steps.release
    steps.release(1_000)


def test_a_file_is_dropped_and_the_bar_moves(
    visit: Visit, client: lh.Client, gate: Callable[[], None]
) -> None:
    text = bookmarks(
        *(f"https://example.com/{n}" for n in range(35)),
        extra="".join(f'<DT><A HREF="javascript:{n}">Little program</A>' for n in range(5)),
    )
    visit.open("/links/imports")
    visit.page.evaluate(DROP, ["#drop", "my bookmarks.html", text])
    visit.page.wait_for_url("**/links/imports/*")
    mark(visit.page)
    bar, status = visit.page.locator("#bar"), visit.page.locator("#status")
    expect(status).to_have_text("waits")
    with lh.Worker(client, [import_file], slots=1, grace="2s"):
        expect(status).to_have_text("runs")
        for done in (10, 20, 30):
            gate()
            expect(bar).to_have_js_property("value", done)
            expect(visit.page.locator("#counted")).to_have_text(f"{done} of 40 entries")
        gate()
        expect(status).to_have_text("done")
    expect(visit.page.locator("#imported")).to_have_text("35")
    expect(visit.page.locator("#items")).to_contain_text("begin with javascript:")
    assert is_same(visit.page)
    visit.page.get_by_role("link", name="Open the library").click()
    expect(visit.page.locator(".card")).to_have_count(35)


def test_an_import_is_stopped_through_its_page(
    visit: Visit, client: lh.Client, gate: Callable[[], None], tmp_path: Path
) -> None:
    file = tmp_path / "bookmarks.html"
    file.write_text(bookmarks(*(f"https://example.com/{n}" for n in range(40))))
    visit.open("/links/imports")
    visit.page.set_input_files("#file", file)
    visit.page.wait_for_url("**/links/imports/*")
    with lh.Worker(client, [import_file], slots=1, grace="2s"):
        gate()
        expect(visit.page.locator("#bar")).to_have_js_property("value", 10)
        visit.page.get_by_role("button", name="Stop the import").click()
        expect(visit.page.locator("#said")).to_have_text("The import is being stopped.")
        gate()
        expect(visit.page.locator("#status")).to_have_text("stopped")
    # The step that waited was written, unless the import looked whether to stop only after that.
    expect(visit.page.locator("#imported")).to_have_text(re.compile("^[12]0$"))


@ONCE
def test_what_is_no_bookmark_file_is_said_where_it_was_dropped(visit: Visit) -> None:
    visit.open("/links/imports")
    visit.page.evaluate(DROP, ["#drop", "backup.json", '{"roots": {}}'])
    expect(visit.page.locator("#refusal")).to_contain_text("This is a JSON backup.")
    visit.odd.clear()  # the browser notes the 422 on its console


def test_links_come_to_life_while_one_looks(
    visit: Visit, client: lh.Client, database: Database, web: OddWeb
) -> None:
    good = web.put("a.test", "/x", page("A page of its own", "<p>" + "Words of it. " * 9))
    gone = web.put("b.test", "/y", (404, HTML, b""))
    begin_import(client, database, bookmarks(good, gone).replace("Number 0", "").encode(), "demo")
    run_imports(client)
    visit.open("/links/")
    first, second = visit.page.locator(".card").nth(1), visit.page.locator(".card").nth(0)
    expect(first).to_contain_text("waits")
    mark(visit.page)
    enrich_all(client)
    expect(first).to_contain_text("A page of its own")
    expect(first).to_contain_text("Words of it.")
    expect(second).to_contain_text("The page is not there")
    expect(visit.page.locator("#stats")).to_be_visible()
    assert is_same(visit.page)

    visit.page.locator(".card").nth(1).get_by_role("link", name="Details").click()
    expect(visit.page.locator("h1")).to_have_text("A page of its own")
    visit.page.get_by_label("Title", exact=True).fill("Mine <b>alone</b>")
    visit.page.get_by_label("Tags").fill("one, two")
    visit.page.get_by_role("button", name="Save").click()
    expect(visit.page.locator("h1")).to_have_text("Mine <b>alone</b>")
    web.put("a.test", "/x", page("Another one"))
    visit.page.get_by_role("button", name="Fetch it anew").click()
    expect(visit.page.locator("#said")).to_have_text("It will be fetched anew.")
    mark(visit.page)
    enrich_all(client)
    expect(visit.page.locator("#known")).to_contain_text("Another one")
    expect(visit.page.locator("#state")).to_have_text("enriched")
    assert is_same(visit.page)
    visit.page.get_by_text("Delete the link…").click()
    visit.page.get_by_role("button", name="Delete").click()
    expect(visit.page.locator("#said")).to_have_text("The link was deleted.")
    expect(visit.page.locator(".card")).to_have_count(1)


def test_a_domain_is_blocked_and_lifted_and_its_links_are_tried_again(
    visit: Visit, client: lh.Client, database: Database, web: OddWeb
) -> None:
    urls = [web.put("a.test", f"/{n}", page(f"Page {n}")) for n in range(3)]
    visit.open("/links/domains")
    visit.page.get_by_label("Domain", exact=True).fill("www.a.test")
    visit.page.get_by_role("button", name="Block", exact=True).click()
    expect(visit.page.locator("#said")).to_contain_text("Nothing of the domain will be fetched.")
    begin_import(client, database, bookmarks(*urls).encode(), "demo")
    run_imports(client)
    enrich_all(client)
    assert sum(web.seen[f"a.test/{n}"] for n in range(3)) == 0

    visit.open("/links/dead")
    expect(visit.page.locator("h2").first).to_have_text("3 dead letters")
    visit.page.get_by_role("link", name="a.test").click()
    expect(visit.page.locator(".letters li")).to_have_count(3)
    visit.page.get_by_role("link", name="Domains").click()
    visit.page.get_by_role("button", name="Allow a.test").click()
    expect(visit.page.locator("#said")).to_contain_text("3 links could be tried again.")
    visit.page.get_by_role("button", name="Try them again").click()
    expect(visit.page.locator("#said")).to_have_text("3 links will be tried again.")
    enrich_all(client)
    visit.open("/links/")
    expect(visit.page.get_by_text("enriched", exact=True)).to_have_count(3)


def test_dead_letters_are_tried_again_together(
    visit: Visit, client: lh.Client, database: Database, web: OddWeb
) -> None:
    urls = [web.put(f"{name}.test", "/", (404, HTML, b"")) for name in ("a", "b")]
    begin_import(client, database, bookmarks(*urls).encode(), "demo")
    run_imports(client)
    enrich_all(client)
    web.put("a.test", "/", page("Back again"))
    visit.open("/links/dead")
    visit.page.get_by_role("button", name="Try those of a.test again").click()
    expect(visit.page.locator("#said")).to_have_text("1 link will be tried again.")
    enrich_all(client)
    visit.page.get_by_role("button", name="Try it again").click()
    expect(visit.page.locator("#said")).to_have_text("1 link will be tried again.")
    expect(visit.page.get_by_text("There are none. All is well.")).to_be_visible()


SCRIPT = "<script>window.hit = 1</script>'\"></title><img src=x onerror=window.hit=2>"
LONG = "W" * 10_000


def furnish(client: lh.Client, database: Database, web: OddWeb) -> list[str]:
    """Give every page something to show, much of it hostile; returns their paths."""
    urls = [
        web.put("a.test", "/x", page("Good")),
        web.put("b.test", "/y", (404, HTML, b"")),
        web.put("c.test", "/", page("c")),
        web.put("c.test", "/robots.txt", (200, {}, b"User-agent: *\nDisallow: /")),
    ]
    address, tags = f"https://{'x' * 60}.test/{LONG[:3000]}", f"{LONG[:150]},שלום"
    extra = (
        f"<DT><H3>Folder {LONG[:300]}</H3><DL>"
        f"<DT><A HREF='{address}' TAGS='{tags}'>{LONG[:900]}</A>"
        f"<DT><A HREF='javascript:{LONG[:500]}'>p</A></DL>"
    )
    import_id = begin_import(client, database, bookmarks(*urls[:3], extra=extra).encode(), "demo")
    run_imports(client)
    enrich_all(client)
    curating.block(database, "blocked.test", by="demo")
    with database.write() as connection:
        connection.execute(
            canonical.update()
            .where(canonical.c.domain == "a.test")
            .values(title=SCRIPT + "\u202eturned " + LONG, description=SCRIPT, site_name=LONG)
        )
        connection.execute(link.update().where(link.c.title == "Number 0").values(title=""))
        found = [
            str(each) for each in connection.scalars(link.select().with_only_columns(link.c.id))
        ]
    return [
        *("/links/", "/links/?q=nothing+like+it", "/links/imports", f"/links/imports/{import_id}"),
        *(f"/links/link/{each}" for each in found),
        *("/links/dead", "/links/dead?domain=b.test", "/links/domains", "/links/nowhere"),
    ]


@ONCE
def test_every_page_is_fit_for_everybody_and_nothing_of_strangers_runs(
    browser: Browser, client: lh.Client, database: Database, web: OddWeb
) -> None:
    paths = furnish(client, database, web)
    with (
        serving(client, application()) as served,
        visiting(browser, served, locale="en-GB") as visit,
    ):
        for path in paths:
            visit.open(path)
            visit.odd[:] = [each for each in visit.odd if "404" not in each]
            assert visit.page.locator("h1").count() == 1, path
            assert not visit.is_wide(), path
            assert serious_in(visit.page) == [], path
        visit.page.emulate_media(color_scheme="dark")
        for path in ("/links/", *paths[3:5], "/links/dead", "/links/domains"):
            visit.open(path)
            assert serious_in(visit.page) == [], path
    with (
        serving(client, application()) as served,
        visiting(browser, served, viewport=PHONE) as visit,
    ):
        for path in paths:
            visit.open(path)
            visit.odd[:] = [each for each in visit.odd if "404" not in each]
            assert not visit.is_wide(), path


@ONCE
def test_it_speaks_korean(browser: Browser, client: lh.Client, database: Database) -> None:
    begin_import(client, database, bookmarks("https://example.com/").encode(), "demo")
    run_imports(client)
    with (
        serving(client, application()) as served,
        visiting(browser, served, locale="ko-KR") as visit,
    ):
        for path, title in {
            "/links/": "모든 링크",
            "/links/imports": "가져오기",
            "/links/dead": "실패한 링크",
            "/links/domains": "도메인",
        }.items():
            visit.open(path)
            expect(visit.page.locator("h1")).to_have_text(title)
            expect(visit.page.locator("html")).to_have_attribute("lang", "ko")
            assert serious_in(visit.page) == [], path
        visit.page.get_by_role("link", name="English").click()
        expect(visit.page.locator("h1")).to_have_text("Domains")
        visit.open("/links/imports")
        expect(visit.page.locator("h1")).to_have_text("Import")


def test_without_a_script_forms_are_sent_and_pages_are_read(
    browser: Browser, client: lh.Client, database: Database, tmp_path: Path
) -> None:
    file = tmp_path / "bookmarks.html"
    file.write_text(bookmarks("https://example.com/one"))
    with serving(client, application()) as served, reading(browser) as page:
        page.goto(f"{served.address}/links/imports")
        page.set_input_files("#file", file)
        page.get_by_role("button", name="Import").click()
        expect(page.locator("#status")).to_have_text("waits")
        run_imports(client)
        page.goto(f"{served.address}/links/")
        expect(page.locator(".card")).to_contain_text("Number 0")


def test_the_bar_comes_back_after_the_service_was_restarted(
    browser: Browser, client: lh.Client, database: Database
) -> None:
    import_id = begin_import(client, database, bookmarks("https://example.com/").encode(), "demo")
    with (
        serving(client, application()) as served,
        visiting(browser, served, locale="en-GB") as visit,
    ):
        visit.open(f"/links/imports/{import_id}")
        mark(visit.page)
        expect(visit.page.locator("#status")).to_have_text("waits")
        served.stop()
        expect(visit.page.locator(".lost")).to_be_visible()
        run_imports(client)
        served.start()
        expect(visit.page.locator("#status")).to_have_text("done")
        assert is_same(visit.page)
