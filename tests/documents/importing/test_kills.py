"""Workers are killed with -9 at every step of an import; each file comes in once all the same."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch
from uuid import UUID

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold.kit.servers import Request
from leasehold_documents.servers.accounts import CLIENT_ID, CLIENT_SECRET
from tests.documents.flow.kit import Office, open_office
from tests.documents.importing.kit import PAGES, Cloud, asks_for_content, cloud_of, fill
from tests.faults.fleet import Fleet
from tests.faults.waiting import wait_for
from tests.faults.worker_main import WorkerOptions

FILES = 14
SECONDS = 120.0


class Killer:
    """Strikes the one worker when the cloud is asked for certain things."""

    def __init__(self, cloud: Cloud, fleet: Fleet, seed: int) -> None:
        self._cloud = cloud
        self._fleet = fleet
        self._chance = random.Random(seed)
        self._pages = 0
        self._downloads = 0
        self.kills = 0

    def watch(self, request: Request) -> None:
        if asks_for_content(self._cloud.name, request):
            self._downloads += 1
            if self._downloads == 2:
                self._strike()  # before the content is there
            elif self._downloads == 8:  # … while it is taken in, or just behind that
                threading.Timer(self._chance.uniform(0.0, 0.03), self._strike).start()
        elif request.path.startswith(PAGES[self._cloud.name]):
            self._pages += 1
            if self._pages == 3:
                self._strike()

    def _strike(self) -> None:
        for member in self._fleet.awake:
            member.process.kill()
            self.kills += 1


@pytest.fixture
def queue(url: str, tmp_path: Path) -> Iterator[lh.Client]:
    """Have keys that processes which are started find as well."""
    keys = tmp_path / "keys.json"
    lh.Keyring.generate().save(keys)
    with patch.dict("os.environ", {"LEASEHOLD_KEYS": str(keys)}), lh.Client(url) as client:
        yield client


@pytest.fixture
def office(queue: lh.Client, database: Database, tmp_path: Path) -> Iterator[Office]:
    with open_office(queue, database, tmp_path) as office:
        yield office


@pytest.mark.parametrize("name", ["dropbox", "onedrive", "gdrive"])
def test_an_import_whose_workers_are_killed_brings_each_file_once(
    name: str, office: Office, tmp_path: Path
) -> None:
    with cloud_of(name, office, page_size=4) as cloud:
        cloud.connect()
        names = fill(cloud.server, FILES)
        said = {
            "VAULT": str(tmp_path / "vault"),
            f"{name.upper()}_ID": CLIENT_ID,
            f"{name.upper()}_SECRET": CLIENT_SECRET,
            f"{name.upper()}_URL": cloud.server.url,
        }
        environment = {f"LEASEHOLD_DOCUMENTS_{key}": value for key, value in said.items()}
        options = WorkerOptions(
            url=office.client.url, tasks="leasehold_documents.tasks", slots=1, lease=1.5
        )
        job_id = cloud.start()
        with patch.dict("os.environ", environment), Fleet(options, tmp_path, 1) as fleet:
            killer = Killer(cloud, fleet, seed=7)
            cloud.server.on_request = killer.watch
            wait_for("end of the import", lambda: _has_ended(cloud, fleet, job_id), SECONDS)
            fleet.stop()
        job = cloud.job(job_id)
        assert (job.state, job.failures) == ("succeeded", 0)
        assert killer.kills == 3
        assert cloud.names() == names
        assert job.result["imported_count"] == FILES
        assert sorted(job.result["document_ids"]) == sorted(str(r["id"]) for r in cloud.documents())
        assert FILES <= cloud.downloads() <= FILES + killer.kills
        assert _files(tmp_path / "vault") >= FILES


def _has_ended(cloud: Cloud, fleet: Fleet, job_id: UUID) -> bool:
    fleet.tend()
    return bool(cloud.job(job_id).state.is_final)


def _files(vault: Path) -> int:
    return sum(each.is_file() for each in vault.rglob("original/*/*"))
