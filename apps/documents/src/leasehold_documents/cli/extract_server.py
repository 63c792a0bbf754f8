"""`leasehold-documents extract-server`: the parsers as a service of their own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import Command, logging_options, set_up_logging, with_session

if TYPE_CHECKING:
    from leasehold.cli.kit import Session

_EXAMPLE = """\
leasehold-documents extract-server
leasehold-documents extract-server --host 0.0.0.0 --port 9000"""


@click.command("extract-server", cls=Command, example=_EXAMPLE)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65_535), default=8000, show_default=True)
@logging_options
@with_session
def extract_server(
    session: Session, /, *, host: str, port: int, log_level: str, log_format: str
) -> None:
    """Serve Unstructured's protocol (POST /general/v0/general) until Ctrl-C or SIGTERM.

    It needs no database and keeps nothing. Workers that LEASEHOLD_DOCUMENTS_EXTRACTION_URL leads
    here let it read their files; so does `unstructured-client`. For another address than this
    machine's own LEASEHOLD_DOCUMENTS_EXTRACTION_KEY is needed.
    """
    from msgspec.structs import replace

    from leasehold_documents.extract_server import serve
    from leasehold_documents.extracting import close_engines, engine_of
    from leasehold_documents.settings import settings

    set_up_logging(log_level, log_format)
    said = settings()
    engine = engine_of(replace(said, extraction_url=""))  # its own, whoever it serves
    try:
        serve(
            engine,
            host=host,
            port=port,
            key=said.extraction_key,
            most_bytes=said.file_bytes,
            on_start=lambda address: _announce(session, address),
        )
    finally:
        close_engines()


def _announce(session: Session, address: str) -> None:
    """Say where it is; on one line for programs, since it goes on."""
    click.echo(json.dumps({"address": address}) if session.is_json else f"It is at {address}")
