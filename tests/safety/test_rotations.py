"""Keys change under load while the re-encryption is killed: no job fails, and old keys can go."""

from __future__ import annotations

import pytest

from tests.safety.rotations import run


@pytest.mark.parametrize("way", ["sqlite", "postgres"], indirect=True)
def test_rotation_under_load_with_kills_fails_no_job_and_frees_the_old_keys(store_url: str) -> None:
    figures = run(store_url, rounds=1, kills=2, seed=7, kills_workers=False)
    assert figures.rounds == 1
    assert figures.kills == 2
    assert figures.ends == {"succeeded": figures.jobs}
