"""What programs do with the library, over the whole service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import leasehold as lh
from leasehold_links.data.tables import canonical
from leasehold_links.model.outcomes import Reason
from leasehold_links.settings import settings
from leasehold_links.tasks import DOMAIN
from tests.links.dialects import CHROME, FIREFOX
from tests.links.jobs.kit import run_imports

if TYPE_CHECKING:
    from leasehold.kit.data import Database
    from tests.links.web.kit import Asker


def many(number: int) -> bytes:
    entries = (f'<DT><A HREF="https://example.com/{n}">Number {n}</A>' for n in range(number))
    return f"<DL>{''.join(entries)}</DL>".encode()


def all_links(asker: Asker, **query: Any) -> list[dict[str, Any]]:
    """Go through all pages."""
    found: list[dict[str, Any]] = []
    page: dict[str, Any] = {"next": ""}
    while page["next"] is not None:
        after = {"after": page["next"]} if page["next"] else {}
        page = asker.get("/api/links", params={**query, **after})
        found += page["links"]
    return found


# -- imports -------------------------------------------------------------------------------------
def test_a_file_is_imported_and_its_lines_are_accounted_for(asker: Asker) -> None:
    done = asker.import_now(CHROME.encode())
    assert (done["status"], done["total_items"], done["processed_items"]) == ("succeeded", 4, 4)
    assert (done["imported_items"], done["skipped_items"]) == (3, 1)
    items = asker.get(f"/api/imports/{done['id']}/items")
    assert [(each["number"], each["reason"]) for each in items["items"]] == [
        (3, "scheme:javascript")
    ]
    assert [each["id"] for each in asker.get("/api/imports")["imports"]] == [done["id"]]


def test_a_form_may_bring_the_file(asker: Asker) -> None:
    form = {"other": (None, b"x" * 10), "file": ("my bookmarks.html", CHROME.encode(), "text/html")}
    answer = asker.ask("POST", "/api/imports", files=form)
    assert answer.status_code == 202
    assert answer.headers["location"] == f"/links/api/imports/{answer.json()['id']}"
    assert answer.json()["file_name"] == "my bookmarks.html"
    assert answer.json()["file_bytes"] == len(CHROME.encode())


def test_what_is_no_bookmark_file_is_refused_and_leaves_nothing(asker: Asker) -> None:
    form = "multipart/form-data; boundary=x"
    field = b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nhello\r\n--x--\r\n'
    broken_off = field.replace(b'"file"', b'"file"; filename="x"')[:-8]
    for content, kind, status, name in [
        (b"", "text/html", 422, "not-bookmarks"),
        (b'{"roots": {}}', "text/html", 422, "not-bookmarks"),
        (b"--x\r\n", form, 400, "bad-request"),
        (b"", "multipart/form-data", 400, "bad-request"),
        (field, form, 422, "no-file"),
        (broken_off, form, 400, "bad-request"),
    ]:
        headers = {"content-type": kind}
        told = asker.refused(status, "POST", "/api/imports", content=content, headers=headers)
        assert told["type"].endswith(f":{name}"), (content, told)
    assert asker.get("/api/imports")["imports"] == []


def test_the_lines_of_an_import_come_in_pages(asker: Asker) -> None:
    entries = "".join(f'<DT><A HREF="about:{n}">x</A>' for n in range(7))
    data = f'<DL><DT><A HREF="https://example.com/">x</A>{entries}</DL>'
    import_id = asker.import_now(data.encode())["id"]
    seen, after = [], None
    while True:
        query = {"limit": 3} | ({} if after is None else {"after": after})
        page = asker.get(f"/api/imports/{import_id}/items", params=query)
        seen += [each["number"] for each in page["items"]]
        after = page["next"]
        if after is None:
            break
    assert seen == [1, 2, 3, 4, 5, 6, 7]


def test_an_import_that_waits_is_cancelled(asker: Asker, client: lh.Client) -> None:
    import_id = asker.upload()
    assert asker.post(f"/api/imports/{import_id}/cancel")["status"] == "canceled"
    run_imports(client)
    assert asker.get("/api/links")["links"] == []


def test_a_file_over_the_limit_is_refused_as_soon_as_it_is(asker: Asker) -> None:
    limit = settings().file_bytes
    pieces = iter([b"<DL>", *(b" " * 1_048_576 for _ in range(limit // 1_048_576 + 5))])

    async def body() -> Any:
        for piece in pieces:
            yield piece

    told = asker.refused(413, "POST", "/api/imports", content=body())
    assert told["type"].endswith(":too-large")
    assert len(list(pieces)) >= 3  # the rest was not asked for
    assert asker.get("/api/imports")["imports"] == []


def test_only_a_bookmark_file_may_be_large(asker: Asker) -> None:
    document = {"url": "https://example.com/", "title": "x" * 300_000}
    asker.refused(413, "POST", "/api/links", json=document)


# -- links -----------------------------------------------------------------------------------------
def test_links_come_in_pages_each_once(asker: Asker) -> None:
    asker.import_now(many(25))
    for order in ("newest", "oldest"):
        found = [each["title"] for each in all_links(asker, order=order, limit=7)]
        expected = [f"Number {n}" for n in range(25)]
        assert found == (expected[::-1] if order == "newest" else expected)


def test_folders_are_listed_with_what_is_in_them(asker: Asker) -> None:
    asker.import_now(FIREFOX.encode())
    folders = asker.get("/api/folders")["folders"]
    named = {(each["root"], *each["names"]): each["links"] for each in folders}
    assert named == {
        ("toolbar",): 1,
        ("menu",): 0,
        ("menu", "Reading"): 2,
        ("unfiled",): 1,
    }
    (reading,) = [each for each in folders if each["names"] == ["Reading"]]
    found = all_links(asker, folder_id=reading["id"], order="oldest")
    assert [each["title"] for each in found] == ["A", "B"]


def test_a_search_finds_all_words_anywhere(asker: Asker) -> None:
    asker.import_now(CHROME.encode())
    for query, expected in {
        "first": ["First & best"],
        "FIRST best": ["First & best"],
        "currentpage=2": ["First & best"],
        "첫째": [],
        "둘째": ["둘째"],
        "100%": [],
        "example_com": [],
        "nothing like it": [],
    }.items():
        found = [each["title"] for each in all_links(asker, q=query, order="oldest")]
        assert found == expected, query


def test_letters_of_other_alphabets_are_found_in_either_case(asker: Asker) -> None:
    named = {"title": "Über Éclair", "tags": ["ÄÖ", "태그"]}
    asker.post("/api/links", {"url": "https://a.com", **named}, status=201)
    for query in ("über", "ÜBER", "éclair", "Éclair", "äö", "태그"):
        assert len(all_links(asker, q=query)) == 1, query
    assert len(all_links(asker, tag="태그")) == 1
    assert all_links(asker, tag="태") == []


def test_a_link_is_put_in_once_in_a_folder(asker: Asker, client: lh.Client) -> None:
    made = asker.post("/api/links", {"url": "https://www.example.com/x/"}, status=201)
    again = asker.post("/api/links", {"url": "http://example.com/x?utm_source=y"}, status=200)
    assert again["id"] == made["id"]
    assert made["enrichment"]["status"] == "queued"
    folder = asker.post("/api/folders", {"names": ["News", "Daily"]}, status=201)
    other = asker.post(
        "/api/links", {"url": "https://example.com/x", "folder_id": folder["id"]}, status=201
    )
    assert [place["names"] for place in other["places"]] == [[], ["News", "Daily"]]
    assert len(client.find(kind="links.enrich")) == 1


def test_what_is_no_address_of_the_web_is_refused(asker: Asker) -> None:
    for address in ("javascript:alert(1)", "data:text/html,x", "ftp://a.b", "no", " "):
        told = asker.refused(422, "POST", "/api/links", json={"url": address})
        assert told["type"].endswith(":bad-address")


def test_a_link_is_edited_moved_and_deleted(asker: Asker) -> None:
    made = asker.post("/api/links", {"url": "https://a.com/", "title": "Mine"}, status=201)
    path = f"/api/links/{made['id']}"
    folder = asker.post("/api/folders", {"root": "toolbar", "names": ["B"]}, status=201)
    change = {"title": "Other", "tags": ["x, y", "x"], "folder_id": folder["id"]}
    changed = asker.ask("PATCH", path, json=change).json()
    assert (changed["title"], changed["tags"], changed["folder_id"]) == (
        "Other",
        ["x", "y"],
        folder["id"],
    )
    assert changed["description"] == ""
    assert asker.ask("DELETE", path).status_code == 204
    asker.refused(404, "GET", path)


def test_a_folder_has_a_link_once_also_after_a_move(asker: Asker) -> None:
    one = asker.post("/api/links", {"url": "https://a.com/"}, status=201)
    folder = asker.post("/api/folders", {"names": ["B"]}, status=201)
    asker.post("/api/links", {"url": "https://a.com/", "folder_id": folder["id"]}, status=201)
    change = {"folder_id": folder["id"]}
    asker.refused(409, "PATCH", f"/api/links/{one['id']}", json=change)


def test_a_deleted_folder_takes_what_is_in_it(asker: Asker) -> None:
    folder = asker.post("/api/folders", {"names": ["A", "B"]}, status=201)
    asker.post("/api/links", {"url": "https://a.com/", "folder_id": folder["id"]}, status=201)
    (above,) = [f for f in asker.get("/api/folders")["folders"] if f["names"] == ["A"]]
    assert asker.ask("DELETE", f"/api/folders/{above['id']}").status_code == 204
    assert [f["names"] for f in asker.get("/api/folders")["folders"]] == [[]]
    assert all_links(asker) == []


def test_a_persons_own_words_win_over_the_pages(asker: Asker, database: Database) -> None:
    made = asker.post("/api/links", {"url": "https://a.com/"}, status=201)
    with database.write() as connection:
        connection.execute(
            canonical.update().values(
                title="The page's", description="Its text", image="javascript:alert(1)"
            )
        )
    shown = asker.get(f"/api/links/{made['id']}")
    assert (shown["title"], shown["description"]) == ("The page's", "Its text")
    assert shown["image"] is None
    shown = asker.ask("PATCH", f"/api/links/{made['id']}", json={"title": "Mine"}).json()
    assert (shown["title"], shown["page_title"]) == ("Mine", "The page's")


# -- enrichment and domains ------------------------------------------------------------------------
def let_die(client: lh.Client, database: Database, reason: Reason) -> None:
    """Let all enrichments that wait die of this."""
    with database.write() as connection:
        connection.execute(canonical.update().values(reason=reason.value))

    @lh.task(name="links.enrich", queue="links", max_attempts=1, throttle=DOMAIN.by("turn"))
    def die(canonical_id: UUID, turn: str, user_id: str) -> None:
        raise lh.Dead(reason.value)

    lh.Worker(client, [die]).run(until_empty=True)


def test_dead_letters_are_counted_listed_and_tried_again(
    asker: Asker, client: lh.Client, database: Database
) -> None:
    asker.import_now(many(5))
    let_die(client, database, Reason.TIMEOUT)
    dead = asker.get("/api/enrichment/dead", params={"limit": 3})
    assert dead["groups"] == [{"domain": "example.com", "reason": "timeout", "count": 5}]
    rest = asker.get("/api/enrichment/dead", params={"after": dead["next"]})
    assert len(dead["letters"] + rest["letters"]) == 5
    assert rest["next"] is None
    stats = asker.get("/api/enrichment/stats")
    assert (stats["by_status"]["dead"], stats["top_failure_domains"]) == (
        5,
        [{"domain": "example.com", "count": 5}],
    )
    assert asker.post("/api/enrichment/requeue", {"reason": "dns"}) == {"matched": 0, "requeued": 0}
    done = asker.post("/api/enrichment/requeue", {"domain": "example.com", "reason": "timeout"})
    assert done == {"matched": 5, "requeued": 5}
    assert asker.get("/api/enrichment/stats")["by_status"]["dead"] == 0


def test_a_domain_is_blocked_and_lifted_and_its_links_are_tried_again(
    asker: Asker, client: lh.Client, database: Database
) -> None:
    asker.import_now(many(3))
    assert asker.post("/api/domains/www.example.com/block")["state"] == "blocked"
    let_die(client, database, Reason.BLOCKED)
    (listed,) = asker.get("/api/domains", params={"state": "blocked"})["domains"]
    assert (listed["domain"], listed["decided_by"]) == ("example.com", "demo")
    lifted = asker.post("/api/domains/example.com/allow")
    assert (lifted["state"], lifted["requeueable"]) == ("allowed", 3)
    assert asker.post("/api/domains/example.com/requeue")["requeued"] == 3
    asker.refused(422, "POST", "/api/domains/%20/block")


def test_a_link_is_refreshed_whatever_became_of_it(
    asker: Asker, client: lh.Client, database: Database
) -> None:
    made = asker.post("/api/links", {"url": "https://example.com/"}, status=201)
    let_die(client, database, Reason.GONE)
    assert asker.get(f"/api/links/{made['id']}")["enrichment"]["status"] == "dead"
    assert asker.post(f"/api/links/{made['id']}/refresh", status=202)["is_new"] is True
    assert asker.post(f"/api/links/{made['id']}/refresh", status=202)["is_new"] is False
    assert asker.get(f"/api/links/{made['id']}")["enrichment"]["status"] == "queued"


def test_what_is_not_there_is_not_there(asker: Asker) -> None:
    for path in ("imports", "links"):
        asker.refused(404, "GET", f"/api/{path}/{uuid4()}")
    asker.refused(404, "GET", "/api/links", params={"folder_id": str(uuid4())})
    asker.refused(404, "GET", "/api/links/nonsense")
    asker.refused(404, "GET", "/api/nothing")


def test_what_is_exported_is_imported_again_as_it_was(asker: Asker) -> None:
    asker.import_now(FIREFOX.encode())
    answer = asker.ask("GET", "/api/export.html")
    assert answer.headers["content-disposition"] == 'attachment; filename="bookmarks.html"'
    assert "sandbox" in answer.headers["content-security-policy"]
    done = asker.import_now(answer.content)
    assert (done["imported_items"], done["duplicate_items"], done["skipped_items"]) == (0, 4, 0)
    assert asker.ask("GET", "/api/export.html").content == answer.content
