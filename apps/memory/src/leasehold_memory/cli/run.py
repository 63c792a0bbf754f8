"""`leasehold-memory run`: API, pages and worker in one process, until a signal."""

from __future__ import annotations

import gc
import json
import logging
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import logging_options, set_up_logging, with_session
from leasehold_memory.cli.homes import HomeCommand, home_option

if TYPE_CHECKING:
    from leasehold.cli.kit import Session
    from leasehold_memory.settings import Settings

HOST = "127.0.0.1"
PORT = 8321
_EXAMPLE = """\
leasehold-memory run
leasehold-memory run --home ~/memory --port 9000"""
_NO_KEY = "no key is set: a small model of this machine answers, by rules; see its settings"


@click.command(cls=HomeCommand, example=_EXAMPLE)
@home_option
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=PORT, show_default=True, help="0: any."
)
@logging_options
@with_session
def run(session: Session, /, *, home: Path, port: int, log_level: str, log_format: str) -> None:
    """Chat at http://127.0.0.1, and remember in the background, until Ctrl-C or SIGTERM.

    The address that it says has a token in it: a browser needs it once, programs always.
    """
    from leasehold.web.listening import Listening
    from leasehold.web.serving import address_of, open_socket
    from leasehold_memory.companion import Companion
    from leasehold_memory.errors import NotServed
    from leasehold_memory.web.alone import Alone
    from leasehold_memory.web.app import make_app

    set_up_logging(log_level, log_format)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)  # what it says of a start, we say too
    companion = Companion(home)

    def token() -> str:
        return companion.settings.token.reveal()

    with open_socket(HOST, port) as opened, closing(companion):
        address = address_of(opened)
        companion.start()  # here, so that what is wrong with it is told in one line
        alone = Alone(make_app(companion), token=token)
        listening = Listening(
            alone,
            alone.ending,
            on_start=lambda: _announce(session, address, companion.settings),
            access_log=False,
        )
        gc.freeze()  # what is loaded stays: looking through it again and again would hold up chats
        if not listening.serve(opened):
            raise NotServed


def _announce(session: Session, address: str, settings: Settings) -> None:
    """Say where it is, for the one who started it alone: the token is in it."""
    from leasehold_memory.model.presets import Provider

    token = settings.token.reveal()
    is_local = settings.current().model.provider is Provider.LOCAL
    if session.is_json:
        told = {"address": address, "token": token, "home": str(settings.home)}
        click.echo(json.dumps(told | {"is_local_model": is_local}))  # on one line: it goes on
        return
    click.echo(f"leasehold-memory is at {address}/?token={token} (Ctrl-C ends it)")
    click.echo(f"  home       {settings.home}")
    if is_local:
        click.echo(f"  model      {_NO_KEY}")
