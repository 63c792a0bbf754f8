"""A document's file: a link that is good for a quarter of an hour, and what it leads to."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, BinaryIO
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import StreamingResponse

from leasehold.kit.web import Document
from leasehold_documents.access import Service
from leasehold_documents.data import browsing
from leasehold_documents.errors import NotFound
from leasehold_documents.settings import SIGNED_SECONDS
from leasehold_documents.vault import signing
from leasehold_documents.web.api.documents import find_paper
from leasehold_documents.web.api.values import DocumentPath
from leasehold_documents.web.hub import OfHub
from leasehold_documents.web.people import Reader
from leasehold_documents.web.problems import PROBLEMS

router = APIRouter(tags=["documents"])
PURPOSE = "download"
PIECE_BYTES = 1 << 18
_LINK = timedelta(seconds=SIGNED_SECONDS)


class Link(Document):
    """Where the file is, for whoever has this, until then."""

    url: str
    expires_at: datetime


@router.post(
    "/api/documents/{document_id}/link", response_model=Link, responses=PROBLEMS.responses(404)
)
def make_link(
    request: Request, document_id: DocumentPath, access: Reader, hub: OfHub
) -> dict[str, Any]:
    """Make a link to the document's file that is good for 15 minutes, and for everybody."""
    find_paper(access, document_id)
    now = datetime.now(UTC)
    said = {"tenant": str(access.tenant_id), "document": str(document_id)}
    token = signing.sign(hub.settings, PURPOSE, said, now=now)
    where = f"{request.scope.get('root_path', '')}/api/file?token={quote(token)}"
    return {"url": where, "expires_at": now + _LINK}


@router.get(
    "/api/file",
    response_class=Response,
    responses={
        **PROBLEMS.responses(403, 404, 410),
        200: {"description": "The file.", "content": {"application/octet-stream": {}}},
    },
)
def download(hub: OfHub, token: Annotated[str, Query(max_length=2_000)]) -> Response:
    """Answer with the file that a link was made for: always as a file, never as a page."""
    said = signing.read(hub.settings, PURPOSE, token)
    tenant_id, document_id = UUID(said["tenant"]), UUID(said["document"])
    with Service(hub.client, hub.database).read() as connection:
        found = browsing.paper(connection, tenant_id, document_id)
    if found is None:
        raise NotFound("document", document_id)
    opened = hub.vault.open(found["file_path"])
    file = opened.__enter__()  # before an answer is begun: it may not be there
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(found['name'][:255])}",
        "Content-Length": str(found["size_bytes"]),
    }
    return StreamingResponse(
        _pieces(file, opened), media_type="application/octet-stream", headers=headers
    )


def _pieces(file: BinaryIO, opened: Any) -> Iterator[bytes]:
    try:
        while piece := file.read(PIECE_BYTES):
            yield piece
    finally:
        opened.__exit__(None, None, None)
