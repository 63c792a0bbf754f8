"""The real service with the demo: four apps in four states, and nothing of it stays."""

from __future__ import annotations

from pathlib import Path

from tests.sync.demo.service import showing
from tests.worker.kit import wait_until

# What ending may take on a machine that does much else: the promise is 3 s on an idle one.
ENDING_SECONDS = 10.0


def test_there_is_a_sync_of_each_kind_to_see_and_the_failed_one_can_be_retried(
    tmp_path: Path,
) -> None:
    with showing(f"sqlite:///{tmp_path / 'demo.db'}") as shown:
        http = shown.service.http
        shown.wait()

        assert [each["error"] for each in shown.service.told["applications"]] == [None, None]
        assert shown.job("shop")["failed_tasks"] == 0
        assert shown.job("helpdesk")["status"] == "processing"
        assert shown.job("notes")["status"] == "processing"
        old = shown.path("old_shop")
        assert http.post(f"{old}/retry").status_code == 200
        wait_until(lambda: http.get(old).json()["status"] == "completed", "it is done", 60)
        page = http.get("/sync-demo").text
        assert all(f"<td>{name}</td>" in page for name in ("shop", "notes", "helpdesk"))
        for path in ("/sync/ui/", "/sync/ui/entities", "/sync/ui/apps/shop"):
            assert http.get(path).status_code == 200

        code, seconds, log = shown.service.end()
        assert (code, seconds < ENDING_SECONDS, "Traceback" in log) == (0, True, False)
