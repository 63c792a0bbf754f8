"""The jobs `import_dropbox`, `import_onedrive` and `import_gdrive`, and what follows their end."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import leasehold as lh
from leasehold_documents.importing.attempt import Asked, Attempt
from leasehold_documents.importing.ending import tell_end
from leasehold_documents.model.jobs import IMPORT_QUEUE
from leasehold_documents.running.words import ATTEMPTS, BACKOFF, SETTLING

CONNECTOR = lh.Throttle("documents.connector", running=1)  # one import of a connector at a time
_RESULT_BYTES = 16 * 1_048_576  # an id for each of many files


@lh.task(
    name="documents.import_ended",
    queue=IMPORT_QUEUE,
    priority=SETTLING,
    max_attempts=50,
    retry=lh.exponential("1s", cap="10m"),
    timeout="2m",
)
def import_ended(ended: lh.JobEnded) -> None:
    """Tell who began the import how it ended. Safe twice."""
    tell_end(lh.current_job().client, ended)


_OPTIONS: Any = {
    "queue": IMPORT_QUEUE,
    "max_attempts": ATTEMPTS,
    "retry": BACKOFF,
    "timeout": "1h",  # it gives way to others long before
    "throttle": CONNECTOR.by("connector_id"),
    "share": lh.TENANT,
    "resumable": True,
    "result_limit": _RESULT_BYTES,
    "on_end": import_ended,
}


def _run(provider: str, connector_id: str, remote_path: str, files: list[str]) -> dict[str, Any]:
    try:
        asked = Asked(UUID(connector_id), remote_path, files)
    except ValueError:
        raise lh.Dead("BAD_CONNECTOR: connector_id is no id of a connector") from None
    return Attempt(lh.current_job(), provider, asked).run()


@lh.task(name="import_dropbox", **_OPTIONS)
def import_dropbox(connector_id: str, remote_path: str, files: list[str]) -> dict[str, Any]:
    """Copy files of a Dropbox: those that are named, or all below a folder."""
    return _run("dropbox", connector_id, remote_path, files)


@lh.task(name="import_onedrive", **_OPTIONS)
def import_onedrive(connector_id: str, remote_path: str, files: list[str]) -> dict[str, Any]:
    """Copy files of a OneDrive: those that are named, or all below a folder."""
    return _run("onedrive", connector_id, remote_path, files)


@lh.task(name="import_gdrive", **_OPTIONS)
def import_gdrive(connector_id: str, remote_path: str, files: list[str]) -> dict[str, Any]:
    """Copy files of a Google Drive: those that are named, or all below a folder."""
    return _run("gdrive", connector_id, remote_path, files)
