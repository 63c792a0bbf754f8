"""Whatever a file or a page of strangers says is shown as text, and leads nowhere by itself."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold_links import curating
from leasehold_links.tasks import enrich
from leasehold_links.web import application
from tests.browser.kit import PHONE, visiting
from tests.kit.serving import serving
from tests.links.jobs.kit import begin_import, known, run_imports
from tests.links.odd_web import HTML, OddWeb, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from leasehold.kit.data import Database

SCRIPT = "<script>window.hit = 1</script>"
BREAKS = "'\"></pre></title></textarea><img src=x onerror=window.hit=2><svg/onload=window.hit=3>"
TEMPLATE = "{{ 7 * 7 }}${7 * 7}<a href=javascript:window.hit=4>"
TURNED = "\u202egnihtyreve\u2066 \u061c\u200b\u200f\ufeff שלום مرحبا\u2069"
TEXT = f"{SCRIPT}{BREAKS}{TEMPLATE}{TURNED}"
LONG = "W" * 3_000


def hostile_page(image: str, icon: str) -> Reply:
    text = escape(TEXT + LONG)
    named = "".join(
        f'<meta property="{name}" content="{text}">'
        for name in ("og:title", "og:description", "og:site_name", "description")
    )
    body = (
        f'<html lang="{text}"><head><base href="javascript:window.hit=5">{named}'
        f'<meta property="og:image" content="{escape(image)}">'
        f'<link rel="icon" href="{escape(icon)}"><title>{text}</title></head><p>{text}</p>'
    )
    return 200, HTML, body.encode()


def furnish(web: OddWeb) -> list[str]:
    """Let strangers answer as badly as they can."""
    web.put("a.test", "/bad", hostile_page("javascript:window.hit=6", "data:text/html," + SCRIPT))
    web.put("a.test", "/svg", hostile_page("data:image/svg+xml," + SCRIPT, '//evil.test/"><x'))
    named = f'attachment; filename="{SCRIPT}../../{BREAKS[:40]}.pdf"'
    file = {"Content-Type": "application/pdf", "Content-Disposition": named.replace("\n", "")}
    web.put("a.test", "/file", (200, file, b"%PDF"))
    web.put("b.test", "/on", (302, {"Location": f"javascript:window.hit=7//{SCRIPT}"}, b""))
    web.put("c.test", "/robots.txt", (200, {}, f"User-agent: *\nDisallow: /\n{TEXT}".encode()))
    hosts = (("a.test", "/bad"), ("a.test", "/svg"), ("a.test", "/file"), ("b.test", "/on"))
    return [*(web.url(*each) for each in hosts), web.url("c.test", "/?q=%3Cscript%3E")]


def bookmarks(urls: list[str]) -> bytes:
    text = escape(TEXT + LONG[:500])
    own = "".join(
        f'<DT><A HREF="{escape(url)}" TAGS="{text[:400]},{escape(SCRIPT)}">{text}</A><DD>{text}'
        for url in urls[1:]
    )
    bad = "".join(
        f'<DT><A HREF="{escape(url)}">{text}</A>'
        for url in ("javascript:window.hit=8", f"data:text/html,{SCRIPT}", f"odd:{TEXT}")
    )
    plain = f'<DT><A HREF="{urls[0]}"></A>'
    folders = f"<DT><H3>{text}</H3><DL><DT><H3>{escape(TURNED)}</H3><DL>{own}{bad}</DL></DL>"
    return f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>{plain}{folders}</DL>".encode()


def paths_of(database: Database, import_id: object) -> Iterator[str]:
    """Name every page that shows something of it."""
    asked = "%22%3E%3Cscript%3Ewindow.hit%3D9%3C/script%3E"
    yield from ("/links/", f"/links/?q={asked}", f"/links/?tag={asked}", f"/links/?domain={asked}")
    yield from ("/links/imports", f"/links/imports/{import_id}", "/links/dead", "/links/domains")
    yield from (f"/links/dead?reason={asked}", f"/links/?said={asked}&count={asked}")
    with database.read() as connection:
        found = connection.exec_driver_sql("SELECT id FROM links_link").scalars().all()
        folders = connection.exec_driver_sql("SELECT id FROM links_folder").scalars().all()
    yield from (f"/links/link/{each}" for each in found)
    yield from (f"/links/?folder={each}" for each in folders)


def test_nothing_of_strangers_runs_or_breaks_out(
    browser: Browser, client: lh.Client, database: Database, web: OddWeb
) -> None:
    urls = furnish(web)
    import_id = begin_import(client, database, bookmarks(urls), "demo")
    run_imports(client)
    lh.Worker(client, [enrich]).run(until_empty=True)
    curating.block(database, "b.test", by=TEXT[:200])
    paths = list(paths_of(database, import_id))
    with serving(client, application()) as served:
        for locale, options in (("en-GB", {}), ("ko-KR", {"viewport": PHONE})):
            with visiting(browser, served, locale=locale, **options) as visit:
                for path in paths:
                    visit.open(path)
                    assert not visit.is_wide(), path
                    bad = "main script, main svg[onload], main img:not(.picture):not(.icon)"
                    assert visit.page.locator(bad).count() == 0, path
                    scheme = "a[href^='javascript'], a[href^='data'], form[action^='javascript']"
                    assert visit.page.locator(scheme).count() == 0, path
                    assert "\u202e" not in visit.page.content(), path
    for url in urls[:2]:
        row = known(database, url)
        assert (row["image"], row["status"]) == (None, 200)
        assert "\u202e" not in row["title"]
        assert row["favicon"] is None or row["favicon"].startswith(("http://", "https://"))
    assert "/" not in known(database, urls[2])["title"]
    assert known(database, urls[3])["reason"] == "redirects"
