"""Connectors: drives that documents are copied from, by a person's consent over there."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field, StringConstraints

from leasehold.kit.web import Command, Document, a_text
from leasehold_documents import importing
from leasehold_documents.web.api.jobs import find_job
from leasehold_documents.web.api.values import JobPath, JobStatus
from leasehold_documents.web.connecting import ask_again, ask_provider, check_state
from leasehold_documents.web.hub import OfHub
from leasehold_documents.web.people import Changer, Reader
from leasehold_documents.web.problems import PROBLEMS

router = APIRouter(prefix="/api", tags=["connectors"])
ConnectorPath = Annotated[UUID, Path(description="A connector of the organization.")]
Word = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=4_000)]
ROWS = 100


class NewConnector(Command):
    """Which drive, and what to call it."""

    provider: Literal["dropbox", "onedrive", "gdrive"]
    name: Annotated[str, a_text(200)] = ""


class AskedProvider(Document):
    """Where the person consents; they come back to `/documents/connectors/callback`."""

    connector_id: UUID
    url: str


class Answer(Command):
    """What the person came back with."""

    state: Word
    code: Word


class Connector(Document):
    """A drive. `expired`: it has to be connected again."""

    id: UUID
    provider: str
    name: str
    status: Literal["pending", "active", "expired"]
    account: str | None
    created_by: UUID | None
    created_at: datetime


class ConnectorList(Document):
    """The drives of an organization."""

    connectors: list[Connector]


class RemoteEntry(Document):
    """A file or a folder over there. `refused`: why it can't be had, as a code."""

    id: str
    name: str
    kind: Literal["file", "folder"]
    size: int | None
    refused: str


class RemoteFolder(Document):
    """A page of one folder."""

    folder_id: str
    entries: list[RemoteEntry]
    cursor: str | None


class NewImport(Command):
    """Which folder, with all that is below it; or only some files, by id or path."""

    remote_path: Annotated[str, a_text(4_000)] = "/"
    files: Annotated[list[Word], Field(max_length=10_000)] = Field(default_factory=list)


class StartedImport(Document):
    """The job that imports."""

    job_id: UUID


class ImportedFile(Document):
    """A file of an import, and what became of it."""

    position: int
    name: str
    path: str
    state: Literal["waiting", "fetching", "imported", "present", "refused", "read"]
    code: str | None
    size_bytes: int | None
    document_id: UUID | None


class Import(Document):
    """How an import stands: files counted by what became of them, and a page of them."""

    job_id: UUID
    status: JobStatus
    counts: dict[str, int]
    files: list[ImportedFile]
    next: int | None


@router.get("/connectors", response_model=ConnectorList, responses=PROBLEMS.responses())
def list_connectors(access: Reader) -> dict[str, Any]:
    """List the drives of the organization."""
    return {"connectors": importing.find(access)}


@router.post(
    "/connectors",
    status_code=201,
    response_model=AskedProvider,
    responses=PROBLEMS.responses(409),
)
def create_connector(
    request: Request, wanted: NewConnector, access: Changer, hub: OfHub
) -> dict[str, Any]:
    """Begin to connect a drive: send the person to `url`."""
    return ask_provider(request, hub, access, wanted.provider, wanted.name)._asdict()


@router.post(
    "/connectors/{connector_id}/finish",
    response_model=Connector,
    responses=PROBLEMS.responses(404, 409, 410),
)
def finish_connector(
    connector_id: ConnectorPath, answer: Answer, access: Changer, hub: OfHub
) -> dict[str, Any]:
    """Take what the person came back with; it is good once, and for who began it."""
    check_state(hub, access, connector_id, answer.state)
    return importing.finish(access, state=answer.state, code=answer.code)


@router.post(
    "/connectors/{connector_id}/authorize",
    response_model=AskedProvider,
    responses=PROBLEMS.responses(404, 409),
)
def authorize_connector(
    request: Request, connector_id: ConnectorPath, access: Changer, hub: OfHub
) -> dict[str, Any]:
    """Begin to connect a drive anew whose consent is over."""
    return ask_again(request, hub, access, connector_id)._asdict()


@router.delete("/connectors/{connector_id}", status_code=204, responses=PROBLEMS.responses(404))
def remove_connector(connector_id: ConnectorPath, access: Changer) -> None:
    """Disconnect a drive; what was imported stays."""
    importing.remove(access, connector_id)


@router.get(
    "/connectors/{connector_id}/files",
    response_model=RemoteFolder,
    responses=PROBLEMS.responses(404, 409),
)
def browse_connector(
    connector_id: ConnectorPath,
    access: Changer,
    path: Annotated[str, a_text(4_000), Query()] = "/",
    folder_id: Annotated[str | None, Query(max_length=4_000)] = None,
    cursor: Annotated[str | None, Query(max_length=10_000)] = None,
) -> dict[str, Any]:
    """Look into a folder over there, to choose what to import."""
    return importing.browse(access, connector_id, path, folder_id=folder_id, cursor=cursor)


@router.post(
    "/connectors/{connector_id}/imports",
    status_code=202,
    response_model=StartedImport,
    responses=PROBLEMS.responses(404, 409),
)
def start_import(connector_id: ConnectorPath, wanted: NewImport, access: Changer) -> dict[str, Any]:
    """Copy files from a drive; imports of one drive come one after the other."""
    job_id = importing.start(access, connector_id, wanted.remote_path, wanted.files)
    return {"job_id": job_id}


@router.get("/imports/{job_id}", response_model=Import, responses=PROBLEMS.responses(404))
def get_import(
    job_id: JobPath,
    access: Reader,
    after: Annotated[int, Query(ge=-1, le=2**31 - 1)] = -1,
) -> dict[str, Any]:
    """Say how an import stands, and what became of each file."""
    job = find_job(access, job_id)
    page = importing.files_of(access, job_id, limit=ROWS, after=after)
    return {
        "job_id": job_id,
        "status": job["status"],
        "counts": importing.progress(access, job_id),
        "files": page.rows,
        "next": page.next,
    }
