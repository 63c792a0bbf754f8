"""`POST /general/v0/general`, and whether the service is well."""

from __future__ import annotations

import asyncio
import hmac
import threading
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

import leasehold as lh
from leasehold_documents.errors import BadForm, ParserLost, Rejected
from leasehold_documents.extract_server.answering import answer
from leasehold_documents.extract_server.asked import Asked, asked_by
from leasehold_documents.extract_server.limiting import BodyLimit, Places
from leasehold_documents.extracting import Element, Engine
from leasehold_documents.extracting.unstructured import PATH

if TYPE_CHECKING:
    from starlette.requests import Request

_MOST_FIELDS = 100
_UNPROCESSABLE = HTTPStatus.UNPROCESSABLE_ENTITY
_GONE = 499
_USAGE = f"""POST {PATH}, a form of

files                 one file, or some
strategy              auto, fast, hi_res or ocr_only
languages             deu, eng, ... for pictures
starting_page_number  of the first page
include_page_breaks   true: an element where a page ends
password              of an encrypted file

The answer is a list of elements: type, element_id, text, metadata.
"""
_TOLD = (HTTPException, Rejected, BadForm, ParserLost, lh.NoSandbox)


class Extracting:
    """Answers requests with what an engine reads; as many at once as there are places."""

    def __init__(self, engine: Engine, *, key: str, places: int) -> None:
        self._engine = engine
        self._key = key
        self._places = Places(places)

    async def general(self, request: Request) -> Response:
        """Read the files of one form."""
        self._check_key(request)
        async with request.form(max_files=20, max_fields=_MOST_FIELDS) as form:
            asked = asked_by(form)
            async with self._places.taken():
                read = await self._read(request, asked)
        body = read[0] if len(read) == 1 else read
        return Response(msgspec.json.encode(body), media_type="application/json")

    async def docs(self, _: Request) -> Response:
        """Say how it is used; the public client looks here before it sends the parts of a PDF."""
        return PlainTextResponse(_USAGE)

    async def health(self, _: Request) -> Response:
        return JSONResponse({"healthcheck": "HEALTHCHECK STATUS: EVERYTHING OK!"})

    def _check_key(self, request: Request) -> None:
        given = request.headers.get("unstructured-api-key", "")
        if self._key and not hmac.compare_digest(given.encode(), self._key.encode()):
            raise HTTPException(
                HTTPStatus.UNAUTHORIZED, "the API key in `unstructured-api-key` is not valid"
            )

    async def _read(self, request: Request, asked: Asked) -> list[list[Element]]:
        """Read in a thread, which is told when the caller has gone."""
        gone = threading.Event()
        watching = asyncio.create_task(_watch(request, gone))
        try:
            return [
                await run_in_threadpool(answer, self._engine, asked, file, _stopper(gone))
                for file in asked.files
            ]
        finally:
            watching.cancel()


def make_app(
    engine: Engine, *, key: str = "", places: int = 4, most_bytes: int = 100 * 1_048_576
) -> Any:
    """Make the application; without a key it lets everybody in."""
    extracting = Extracting(engine, key=key, places=places)
    app = Starlette(
        routes=[
            Route(PATH, extracting.general, methods=["POST"]),
            Route("/general/docs", extracting.docs, methods=["GET"]),
            Route("/healthcheck", extracting.health, methods=["GET"]),
        ],
        exception_handlers=dict.fromkeys(_TOLD, _told),
    )
    return BodyLimit(app, most_bytes)


def _stopper(gone: threading.Event) -> Any:
    def stop() -> None:
        if gone.is_set():
            raise HTTPException(_GONE, "the caller has gone")

    return stop


async def _watch(request: Request, gone: threading.Event) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        continue
    gone.set()


def _told(_: Request, error: Exception) -> Response:
    """Say what went wrong, with a code of ours where there is one; never what is in a file."""
    match error:
        case Rejected(code=code, reason=reason):
            status = HTTPStatus.BAD_REQUEST if code == "UNSUPPORTED_TYPE" else _UNPROCESSABLE
            return JSONResponse({"detail": reason, "code": code}, status)
        case BadForm():
            return JSONResponse({"detail": str(error)}, _UNPROCESSABLE)
        case HTTPException(status_code=status, detail=detail, headers=headers):
            return JSONResponse({"detail": detail}, status, headers=headers)
        case _:
            later = {"Retry-After": "5"}
            return JSONResponse({"detail": str(error)}, HTTPStatus.SERVICE_UNAVAILABLE, later)
