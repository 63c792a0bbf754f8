"""The demo while it lives: its web, the names that lead there, and the first import."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlalchemy import select

from leasehold.kit.data import database_of
from leasehold.kit.people import DEMO_USER
from leasehold_links.data.tables import import_
from leasehold_links.demo.file import FILE_NAME, demo_file, demo_pages
from leasehold_links.demo.odd_web import OddWeb
from leasehold_links.demo.places import ENDING
from leasehold_links.settings import lending, settings
from leasehold_links.uploading import start_import

if TYPE_CHECKING:
    import leasehold as lh

_ANSWER_SECONDS = 0.5  # so that one can watch


class Demo:
    """Made-up names lead to its web in this process, from `open` to `close`, and nowhere else."""

    def __init__(self, client: lh.Client) -> None:
        self._client = client
        self._until_closed = ExitStack()
        self.web: OddWeb | None = None

    def open(self) -> None:
        """Take a port and let the names lead there, before a worker asks for the first."""
        self.web = web = OddWeb(demo_pages())
        web.seconds = _ANSWER_SECONDS
        self._until_closed.callback(web.stop)
        routes = {ENDING: f"127.0.0.1:{web.port}"}
        self._until_closed.enter_context(lending(replace(settings(), routes=routes)))

    def start(self) -> None:
        """Answer, and import the file unless that was done once."""
        if self.web is not None:
            self.web.start()
        self.import_once()

    def import_once(self) -> bool:
        """Import the demo's file; False when the library has had it already."""
        database = database_of(self._client.url)
        columns = import_.c
        known = select(columns.id).where(
            columns.user_id == DEMO_USER, columns.file_name == FILE_NAME
        )
        with database.read() as connection:
            if connection.execute(known.limit(1)).first() is not None:
                return False
        start_import(self._client, database, DEMO_USER, FILE_NAME, [demo_file()])
        return True

    def close(self) -> None:
        """Safe twice."""
        self._until_closed.close()
