"""Inside of the service its door counts: who may only read sees no form, and changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from leasehold_memory.web import application
from tests.kit.serving import serving

if TYPE_CHECKING:
    import leasehold as lh

CHANGES: tuple[tuple[str, dict[str, str]], ...] = (
    ("/say", {"text": "Hello"}),
    ("/memories/1/edit", {"user_text": "No"}),
    ("/memories/1/rollback", {"version": "1"}),
    ("/memories/1/forget", {}),
    ("/people/1/forget", {"sure": "true"}),
    ("/jobs/01900000-0000-7000-8000-000000000000/retry", {}),
    ("/settings/active", {"embedding": "local", "model": "local", "persona": "companion"}),
    ("/settings/presets/persona", {"id": "x", "name": "X", "prompt": "X"}),
    ("/settings/replay", {}),
)


@pytest.mark.parametrize("scope", ["read", "operate"])
def test_only_who_may_operate_is_shown_forms_and_may_send_them(
    queue: lh.Client, tmp_path: Path, scope: str
) -> None:
    secret = queue.tokens.add("somebody", scope=scope).secret
    may_change = scope == "operate"
    with serving(queue, application(tmp_path / "home")) as served:
        shown = {"authorization": f"Bearer {secret}", "accept": "text/html"}
        base = f"{served.address}/memory"
        with httpx.Client(headers=shown, base_url=base, timeout=30) as http:
            for path in ("/", "/memories", "/people", "/jobs", "/settings"):
                answer = http.get(path)
                assert answer.status_code == 200
                assert may_change or 'method="post"' not in answer.text, path
            codes = {path: http.post(path, data=form).status_code for path, form in CHANGES}
        stranger = httpx.get(f"{base}/", headers={"accept": "text/html"})
    assert {code == 403 for code in codes.values()} == {not may_change}, codes
    assert "<textarea" not in stranger.text
