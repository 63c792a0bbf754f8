"""A client opens its store when it is first used, and closes what it has opened."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from tests.api.tasks import greet

if TYPE_CHECKING:
    from pathlib import Path

    from leasehold.store.base import Store


def test_a_client_can_be_closed_twice_and_used_again(store_url: str) -> None:
    client = lh.Client(store_url)
    client.close()
    job_id = client.enqueue(greet, "a").id
    client.close()
    client.close()
    assert client.get(job_id).id == job_id
    client.close()


def test_a_given_store_is_left_open(store: Store) -> None:
    with lh.Client(store=store) as client:
        job_id = client.enqueue(greet, "a").id
    assert store.get(job_id) is not None
    with pytest.raises(lh.BadOption, match="not both"):
        lh.Client("sqlite:///x", store=store)


def test_a_client_works_in_a_forked_child(client: lh.Client) -> None:
    client.enqueue(greet, "parent")
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(30)  # ends the child should it wait for a lock of its parent's
        try:
            client.enqueue(greet, "child")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    client.enqueue(greet, "parent again")
    assert sorted(job.args["name"] for job in client.find()) == ["child", "parent", "parent again"]


def test_without_a_url_it_is_the_environments_else_a_file_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LEASEHOLD_URL", raising=False)
    with lh.Client() as client:
        client.enqueue(greet, "a")
    assert (tmp_path / "leasehold.db").exists()
    monkeypatch.setenv("LEASEHOLD_URL", f"sqlite:///{tmp_path / 'other.db'}")
    with lh.Client() as client:
        client.enqueue(greet, "a")
    assert (tmp_path / "other.db").exists()


@pytest.mark.parametrize("url", ["", "leasehold.db", "mysql://root:secret@host/db", "redis:"])
def test_a_url_of_no_store_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(lh.BadOption, match="starts with sqlite:/// or postgresql://") as caught:
        lh.Client(url).store  # noqa: B018 - opening is what fails
    assert "secret" not in str(caught.value)
