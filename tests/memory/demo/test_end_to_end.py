"""The real service with the demo: every kind of memory is there to see, in both languages."""

from __future__ import annotations

from pathlib import Path

from tests.memory.demo.service import showing

# What ending may take on a machine that does much else: the promise is 3 s on an idle one.
ENDING_SECONDS = 15.0


def test_there_is_a_memory_of_each_kind_and_what_is_secret_is_in_no_summary(
    tmp_path: Path,
) -> None:
    with showing(tmp_path) as shown:
        http = shown.service.http
        shown.wait()

        assert [each["error"] for each in shown.service.told["applications"]] == [None, None]
        found = shown.units(limit=200)
        assert {each["kind"] for each in found} == {"episode", "fact", "summary", "capsule", "loop"}
        assert {each["state"] for each in found} >= {"active", "closed"}  # somebody has moved
        derived = [each for each in found if each["kind"] in {"summary", "capsule"}]
        assert "転職" not in str(derived)
        assert all(each["evidence"] for each in derived)
        for path in ("/", "/memories?q=猫", "/people", "/jobs", "/settings"):
            page = http.get(f"/memory{path}", headers={"accept-language": "ja"})
            assert (page.status_code, 'lang="ja"' in page.text) == (200, True)
        assert "田中さん" in http.get("/memory-demo").text

        code, seconds, log = shown.service.end()
        assert (code, seconds < ENDING_SECONDS, "Traceback" in log) == (0, True, False)
