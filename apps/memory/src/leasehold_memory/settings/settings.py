"""The settings of a home: read by all threads, changed by one at a time, followed by the worker."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_memory.settings import storing
from leasehold_memory.settings.changing import SettingsChange, changed, read_change
from leasehold_memory.settings.home import make_private, settings_file, url_of
from leasehold_memory.settings.snapshot import Snapshot


class Settings:
    """`settings.db`, open. Safe to share between threads; another process may change it too."""

    def __init__(self, home: Path, database: Database) -> None:
        self.home = home
        self._database = database
        self._news = threading.Condition()
        with database.read() as connection:
            self._snapshot = storing.read(connection)
            self._token = lh.Secret(storing.read_token(connection))

    def close(self) -> None:
        """Safe twice."""
        self._database.close()

    @property
    def token(self) -> lh.Secret[str]:
        """What callers of the API show, as it was at the last look: it is asked for very often."""
        return self._token

    def replace_token(self) -> lh.Secret[str]:
        """Make another token: the one before is worth nothing from now on."""
        with self._database.write() as connection:
            storing.write_token(connection, secrets.token_urlsafe(storing.TOKEN_BYTES))
            snapshot = storing.read(connection)
            storing.write(
                connection, msgspec.structs.replace(snapshot, revision=snapshot.revision + 1)
            )
        self.current()
        return self._token

    @property
    def revision(self) -> int:
        """The number of the last change that was seen here."""
        return self._snapshot.revision

    def current(self) -> Snapshot:
        """Return the settings as they stand now, whoever has changed them."""
        with self._database.read() as connection:
            if storing.read_revision(connection) == self._snapshot.revision:
                return self._snapshot
            found = storing.read(connection)
            token = lh.Secret(storing.read_token(connection))
        self._tell(found, token)
        return found

    def change(self, change: SettingsChange | dict[str, Any]) -> Snapshot:
        """Change what is said, all of it or nothing; see `SettingsChange` for what may be said."""
        said = change if isinstance(change, SettingsChange) else read_change(change)
        with self._database.write() as connection:
            before = storing.read(connection)
            after = changed(before, said)
            if after != before:
                after = msgspec.structs.replace(after, revision=before.revision + 1)
                storing.write(connection, after)
            token = lh.Secret(storing.read_token(connection))
        self._tell(after, token)
        return after

    def wait_for_change(
        self, revision: int, seconds: float, is_over: Callable[[], bool] = lambda: False
    ) -> None:
        """Wait until this process sees another revision, or it is over, or at most so long.

        What another process changes is seen by the next look.
        """
        with self._news:
            self._news.wait_for(lambda: self._snapshot.revision != revision or is_over(), seconds)

    def wake(self) -> None:
        """Let whoever waits see that it is over."""
        with self._news:
            self._news.notify_all()

    def _tell(self, found: Snapshot, token: lh.Secret[str]) -> None:
        with self._news:
            if found.revision >= self._snapshot.revision:
                self._snapshot, self._token = found, token
            self._news.notify_all()


def open_settings(home: Path) -> Settings:
    """Open the settings of a home; the first time, they are made with a new token."""
    file = settings_file(home)
    make_private(file)
    database = Database(url_of(file))
    try:
        _prepare(database)
        return Settings(home, database)
    except BaseException:
        database.close()
        raise


def _prepare(database: Database) -> None:
    with database.read() as connection:
        if storing.is_prepared(connection):
            return
    with database.write() as connection:
        storing.prepare(connection)
