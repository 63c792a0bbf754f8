"""`work`, `dead` and `domains` on the command line."""

from __future__ import annotations

import leasehold as lh
from leasehold.kit.data import Database
from tests.links.cli.kit import Said, run
from tests.links.jobs.kit import known, titles
from tests.links.jobs.test_curating import import_for, link_of
from tests.links.odd_web import HTML, OddWeb, page


def work(url: str, *words: str) -> Said:
    said = run(url, "work", "--log-level", "warning", *words)
    assert said.code == 0
    return said


def test_a_worker_with_a_budget_ends_when_nothing_is_left(
    client: lh.Client, database: Database, web: OddWeb, url: str
) -> None:
    import_for(client, database, "ada", web.put("a.test", "/", page("A")))
    said = work(url, "--n", "10", "--budget", "45", "--json").json()
    assert (said["reason"], said["succeeded"]) == ("empty", 1)
    assert known(database, web.url("a.test"))["title"] == "A"
    assert titles(database) == ["x"], "the title that ada gave stays hers"


def test_k_holds_for_all_processes_from_then_on(
    client: lh.Client, database: Database, web: OddWeb, url: str
) -> None:
    work(url, "--k", "1", "--until-empty")
    (limit,) = [each for each in client.throttles.list() if each.name == "domain"]
    assert limit.running_limit == 1
    web.seconds = 0.02
    urls = [web.put("a.test", f"/{each}", page("A")) for each in range(6)]
    import_for(client, database, "ada", *urls)
    work(url, "--until-empty")
    assert (web.seen["a.test/5"], web.most["a.test"]) == (1, 1)


def test_dead_letters_are_counted_listed_and_tried_again(
    client: lh.Client, database: Database, web: OddWeb, url: str
) -> None:
    gone, shy = (
        web.put("a.test", "/1", (404, HTML, b"")),
        web.put("b.test", "/2", page("Just a moment...")),
    )
    import_for(client, database, "ada", gone, shy)
    work(url, "--until-empty")
    counted = run(url, "dead", "--user", "ada", "--json").json()
    assert [(each["domain"], each["reason"], each["count"]) for each in counted] == [
        ("a.test", "not_found", 1),
        ("b.test", "captcha", 1),
    ]
    assert "not_found" in run(url, "dead", "--user", "ada").out
    listed = run(url, "dead", "--list", "--domain", "a.test", "--user", "ada", "--json").json()
    assert [each["url"] for each in listed] == [gone]
    assert run(url, "dead", "--user", "bob").out == "All links are well.\n"
    asked = ("dead", "requeue", "--user", "ada")
    assert run(url, *asked, "--reason", "captcha", "--json").json() == {"requeued": 1}
    assert run(url, *asked, "--link", str(link_of(database, gone))).out == (
        "1 will be tried again\n"
    )
    assert run(url, "dead", "requeue", "--user", "bob", "--link", listed[0]["link_id"]).code == 1
    assert run(url, "dead", "requeue", "--everybody").out == "0 will be tried again\n"


def test_a_domain_is_blocked_and_allowed(
    client: lh.Client, database: Database, web: OddWeb, url: str
) -> None:
    assert run(url, "domains").out == "Nothing is known against any domain.\n"
    assert run(url, "domains", "block", "www.a.test", "--by", "eve").out == "a.test is blocked\n"
    address = web.put("a.test", "/1", page("A"))
    import_for(client, database, "ada", address)
    work(url, "--until-empty")
    assert web.seen["a.test/1"] == 0
    (listed,) = run(url, "domains", "--state", "blocked", "--json").json()
    assert (listed["domain"], listed["decided_by"]) == ("a.test", "eve")
    said = run(url, "domains", "allow", "a.test").out
    assert said == "a.test is allowed; 1 links died of it: try them again with --requeue\n"
    again = run(url, "domains", "allow", "a.test", "--requeue", "--json").json()
    assert (again["requeueable"], again["requeued"]) == (1, 1)
    work(url, "--until-empty")
    assert known(database, address)["title"] == "A"
    assert "allowed" in run(url, "domains").out


def test_what_names_no_domain_is_refused(url: str) -> None:
    said = run(url, "domains", "block", "a b")
    assert (said.code, said.err) == (1, "Error: 'a b' is no domain; write example.com\n")
