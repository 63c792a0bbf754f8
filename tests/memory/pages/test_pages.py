"""Pages as they are sent: texts in both languages, nothing of strangers' in force, forms."""

from __future__ import annotations

import re
import string
from html import unescape

import pytest

from leasehold_memory import tasks
from leasehold_memory.data import units
from leasehold_memory.model.predicates import Predicate
from leasehold_memory.opening import Memory
from leasehold_memory.web.pages import PAGES
from leasehold_memory.web.problems import PROBLEMS
from leasehold_memory.web.texts.english import ENGLISH
from leasehold_memory.web.texts.japanese import JAPANESE
from tests.kit.wording import missing_texts, written_texts
from tests.memory.data.kit import say
from tests.memory.pages.kit import Furnished, furnish, page, send
from tests.memory.web.kit import Asker, Standing


@pytest.fixture
def furnished(memory: Memory) -> Furnished:
    return furnish(memory)


def test_every_text_that_a_page_asks_for_is_there_and_stands_in_no_template() -> None:
    assert missing_texts(PAGES) == set()
    assert written_texts(PAGES, {"true", "normal"}) == []
    assert set(JAPANESE) == set(ENGLISH)
    for key, text in JAPANESE.items():
        assert _places(text) == _places(ENGLISH[key]), key


def test_there_are_words_for_every_predicate_job_and_problem() -> None:
    kinds = [each.name for each in vars(tasks).values() if hasattr(each, "call")]
    asked = {f"fact.{each}" for each in Predicate} | {f"fact.you.{each}" for each in Predicate}
    asked |= {f"task.{kind}" for kind in kinds}
    asked |= {f"problem.{name}" for _, name in PROBLEMS._kinds.values()}
    assert len(asked) > 2 * len(Predicate) + 9
    assert asked - set(ENGLISH) == set()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_nothing_that_strangers_wrote_is_in_force_on_any_page(
    asker: Asker, furnished: Furnished, language: str
) -> None:
    seen = ""
    for path in furnished.paths:
        seen += page(asker, path, language)
    assert "<script>window" not in seen
    assert "<img" not in seen
    assert "\u202e" not in _lines_of(seen)
    assert seen.count("&lt;script&gt;") > 10


def test_memories_are_found_by_words_of_any_length_kind_and_state(
    asker: Asker, furnished: Furnished
) -> None:
    here = f'href="/memories/{furnished.fact}"'
    assert here in page(asker, "/memories?q=市")
    assert here in page(asker, "/memories?q=大阪市&kind=fact", "ja")
    assert here not in page(asker, "/memories?q=大阪市&kind=episode")
    assert here not in page(asker, "/memories?state=closed")
    assert "There is nothing here." in page(asker, "/memories?q=never")
    assert "You live in Nara" in page(asker, "/memories?state=closed&sensitivity=normal")
    page(asker, "/memories?kind=cat", status=422)


def test_long_lists_go_on_page_by_page_and_miss_nothing(asker: Asker, memory: Memory) -> None:
    with memory.database.write() as connection:
        made = {say(connection, f"word {number}") for number in range(60)}
    memory.client.enqueue_many(tasks.capsule_refresh.call(number) for number in range(1, 61))
    assert set(_walk(asker, "/memories?q=word&kind=episode", r'href="/memories/(\d+)"')) == {
        str(each) for each in made
    }
    assert len(set(_walk(asker, "/jobs", r'href="/jobs/([0-9a-f-]{36})"'))) == 60


def test_a_memory_shows_its_evidence_and_what_each_version_changed(
    asker: Asker, furnished: Furnished
) -> None:
    shown = page(asker, f"/memories/{furnished.fact}")
    assert f'href="/memories/{furnished.said}"' in shown
    assert shown.count("<del>") == 1
    assert "by a person" in shown
    said = page(asker, f"/memories/{furnished.said}", "ja")
    assert "ここから導かれたこと" in said
    assert f'href="/memories/{furnished.fact}"' in said
    page(asker, "/memories/999999", status=404)


def test_a_memory_is_corrected_and_taken_back_by_forms(
    asker: Asker, memory: Memory, furnished: Furnished
) -> None:
    own = f"/memories/{furnished.fact}"
    answer = send(asker, f"{own}/edit", object_text="神戸\r\n市")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{own}?said=edited")
    assert _object_of(memory, furnished.fact) == "神戸\n市"
    assert "older versions stay" in page(asker, f"{own}?said=edited")
    assert send(asker, f"{own}/rollback", version=1).headers["location"].endswith("rolled_back")
    assert _object_of(memory, furnished.fact).startswith("大阪 ")
    assert page(asker, own).count("<del>") == 3
    send(asker, f"{own}/edit", state="closed", sensitivity="secret")
    assert ("over</span>" in page(asker, own), "secret</span>" in page(asker, own)) == (True, True)
    assert send(asker, f"{own}/edit", object_text=" ").status_code == 422
    assert send(asker, f"{own}/edit", user_text="not of a fact").status_code == 422
    assert send(asker, f"{own}/rollback", version=77).status_code == 404


def test_people_are_shown_with_their_summary_and_all_that_speaks_of_them(
    asker: Asker, furnished: Furnished
) -> None:
    assert f'href="/people/{furnished.person}"' in page(asker, "/people?q=エマ")
    assert "2 memories" in page(asker, "/people")
    shown = page(asker, f"/people/{furnished.person}")
    assert "How this summary came about" in shown
    assert f'href="/memories/{furnished.said}"' in shown
    page(asker, "/people/999999", status=404)


def test_a_person_is_forgotten_only_when_somebody_is_sure(
    asker: Asker, memory: Memory, furnished: Furnished
) -> None:
    own = f"/people/{furnished.person}"
    assert "Every trace goes" in page(asker, own)
    assert send(asker, f"{own}/forget").status_code == 422
    assert page(asker, own)
    assert send(asker, f"{own}/forget", sure="true").headers["location"] == "/people?said=forgotten"
    page(asker, own, status=404)
    page(asker, f"/memories/{furnished.fact}", status=404)


def test_a_memory_is_forgotten_by_a_form(asker: Asker, furnished: Furnished) -> None:
    own = f"/memories/{furnished.fact}"
    assert send(asker, f"{own}/forget").headers["location"] == "/memories?said=forgotten"
    page(asker, own, status=404)
    assert "It is forgotten." in page(asker, "/memories?said=forgotten")


def test_a_job_that_failed_says_why_and_is_tried_again_by_a_form(
    asker: Asker, memory: Memory, furnished: Furnished
) -> None:
    assert furnished.job in page(asker, "/jobs?state=dead")
    assert furnished.job not in page(asker, "/jobs?state=queued")
    own = f"/jobs/{furnished.job}"
    assert "Try again" in page(asker, own)
    assert send(asker, f"{own}/retry").headers["location"] == f"{own}?said=retried"
    assert memory.client.get(furnished.job).state == "queued"
    assert send(asker, f"{own}/retry").status_code in {303, 409}
    page(asker, "/jobs/01900000-0000-7000-8000-000000000000", status=404)


def test_presets_are_added_and_changed_by_forms_and_their_keys_are_never_shown(
    asker: Asker, companion: Standing
) -> None:
    added = {"id": "far", "name": "Far", "provider": "http", "model": "m", "api_key": "sk-12345"}
    address = {"base_url": "https://models.example.org/v1"}
    assert send(asker, "/settings/presets/model", **added, **address).status_code == 303
    shown = page(asker, "/settings", "ja")
    assert "sk-12345" not in shown
    assert "********" in shown
    again = added | address | {"name": "Farther", "api_key": "********"}
    assert send(asker, "/settings/presets/model", **again).status_code == 303
    preset = companion.settings.current().model_presets[-1]
    assert (preset.name, preset.api_key.reveal()) == ("Farther", "sk-12345")
    prompt = {"id": "poet", "name": "詩人", "prompt": "俳句で\r\n答える"}
    assert send(asker, "/settings/presets/persona", **prompt).status_code == 303
    assert companion.settings.current().persona_presets[-1].prompt == "俳句で\n答える"


def test_everything_is_derived_again_by_a_form(
    asker: Asker, memory: Memory, furnished: Furnished
) -> None:
    answer = send(asker, "/settings/replay")
    where = answer.headers["location"]
    assert where.startswith("/jobs?said=replaying&count=")
    assert "derive it again" in page(asker, where)
    assert len(memory.client.find(kind="extract_facts")) == 2


def test_what_decides_about_vectors_can_not_be_changed_by_a_form(
    asker: Asker, companion: Standing
) -> None:
    known = companion.settings.current().shown()["embedding_presets"][0]
    answer = send(asker, "/settings/presets/embedding", **known | {"dimension": 512})
    assert answer.status_code == 400
    assert "Make another preset." in answer.text
    assert companion.settings.current().embedding.dimension == known["dimension"]


def test_presets_are_switched_and_remembering_is_switched_off(
    asker: Asker, companion: Standing
) -> None:
    chosen = {"embedding": "local", "model": "local", "persona": "companion"}
    assert send(asker, "/settings/active", **chosen).status_code == 303
    assert not companion.settings.current().memory_enabled
    assert send(asker, "/settings/active", **chosen, memory_enabled="true").status_code == 303
    assert companion.settings.current().memory_enabled
    assert send(asker, "/settings/active", **chosen | {"model": "nowhere"}).status_code == 404


def _walk(asker: Asker, path: str, wanted: str) -> list[str]:
    """Follow a list to its end; returns all that it shows."""
    seen: list[str] = []
    while path:
        shown = page(asker, path)
        seen += re.findall(wanted, shown)
        onward = re.search(r'href="([^"]+)" rel="next"', shown)
        path = unescape(onward[1]) if onward else ""
    return seen


def _object_of(memory: Memory, unit_id: int) -> str:
    with memory.database.read() as connection:
        return str(units.get(connection, unit_id).payload["object_text"])


def _places(text: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def _lines_of(seen: str) -> str:
    """Return what stands on lines of lists; a text that is shown whole is kept apart by bdi."""
    return "".join(line for line in seen.splitlines() if 'class="text"' in line)
