"""A client that a public generator makes of our OpenAPI works as it is."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from leasehold.client import Client
from tests.web.serving import served
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def generate(document: dict[str, Any], folder: Path) -> None:
    """Make the package `leasehold_client` in the folder; a warning of the generator is an error."""
    (folder / "openapi.json").write_text(json.dumps(document))
    (folder / "config.yml").write_text("package_name_override: leasehold_client\npost_hooks: []\n")
    program = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    subprocess.run(
        [*program, "--path", "openapi.json", "--config", "config.yml", "--fail-on-warning"],
        cwd=folder,
        check=True,
        capture_output=True,
    )


def test_it_enqueues_and_follows_a_job(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Client(store_url) as queue:
        secret = queue.tokens.add("generated", scope="operate").secret
    with served(store_url, "tests.web.tasks") as service:
        service.http.headers["authorization"] = f"Bearer {secret}"
        generate(service.http.get("/api/openapi.json").json(), tmp_path)
        monkeypatch.syspath_prepend(str(tmp_path))
        make = import_module("leasehold_client").AuthenticatedClient
        client = make(base_url=service.address, token=secret)
        models = import_module("leasehold_client.models")
        jobs = {
            name: import_module(f"leasehold_client.api.jobs.{name}")
            for name in ("enqueue_job", "get_job", "cancel_job", "list_jobs")
        }
        arguments = models.JobRequestArgs.from_dict({"left": 3, "right": 4})
        request = models.JobRequest(kind="web.add", args=arguments, id=uuid4())
        with client:
            answer = jobs["enqueue_job"].sync_detailed(client=client, body=request)
            assert (answer.status_code, answer.parsed.id) == (201, request.id)
            assert jobs["enqueue_job"].sync(client=client, body=request).is_new is False

            def job() -> Any:
                return jobs["get_job"].sync(request.id, client=client)

            wait_until(lambda: job().state == models.State.SUCCEEDED, "the job succeeded")
            assert job().result == 7
            page = jobs["list_jobs"].sync(client=client, state=models.State.SUCCEEDED)
            assert [each.id for each in page.jobs] == [request.id]
            problem = jobs["cancel_job"].sync(request.id, client=client)
            assert isinstance(problem, models.Problem)
            assert problem.type_ == "urn:leasehold:problem:wrong-state"
    for name in [each for each in sys.modules if each.startswith("leasehold_client")]:
        monkeypatch.delitem(sys.modules, name)
