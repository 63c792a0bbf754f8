"""A vault in a folder: whole files under their names, and nothing half written."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from leasehold_documents.errors import NotInVault, VaultFailed
from leasehold_documents.vault.keys import check_key, check_prefix

_INCOMING = ".incoming"  # no key begins with a dot
_STALE_SECONDS = 86_400.0
_TRIES = 8  # while others take the folder away that a file goes into


class FolderVault:
    """Files below a folder, readable by this user only."""

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()
        self._kept: set[Path] = set()

    def put(self, key: str, file: BinaryIO) -> int:
        """Write beside, wait for the disk, rename: the key names the old file or the new one."""
        target = self._path(key)
        with _told():
            incoming = self._incoming()
            descriptor, name = tempfile.mkstemp(dir=incoming)
            try:
                with os.fdopen(descriptor, "wb") as copy:
                    shutil.copyfileobj(file, copy, 1 << 20)
                    size = copy.tell()
                    copy.flush()
                    os.fsync(copy.fileno())
                self._move(Path(name), target)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        return size

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        path = self._path(key)
        try:
            file = path.open("rb")
        except (FileNotFoundError, IsADirectoryError):
            raise NotInVault(key) from None
        except OSError as error:
            raise VaultFailed(_reason(error)) from error
        with file:
            yield file

    @contextmanager
    def local(self, key: str) -> Iterator[Path]:
        if not self.exists(key):
            raise NotInVault(key)
        yield self._path(key)

    def exists(self, key: str) -> bool:
        with _told():
            return self._path(key).is_file()

    def delete(self, key: str) -> None:
        path = self._path(key)
        with _told():
            path.unlink(missing_ok=True)
        with suppress(OSError):
            path.parent.rmdir()  # if it was the last one in there

    def delete_under(self, prefix: str) -> None:
        folder = self._root / check_prefix(prefix)
        self._kept.clear()
        with _told(), suppress(FileNotFoundError):
            shutil.rmtree(folder)

    def close(self) -> None:
        """Nothing is held open."""

    def _path(self, key: str) -> Path:
        return self._root / check_key(key)

    def _incoming(self) -> Path:
        """Return where files are written first; what a crash has left there goes after a day."""
        folder = self._root / _INCOMING
        _make(folder)
        stale = time.time() - _STALE_SECONDS
        for left in folder.iterdir():
            with suppress(FileNotFoundError):
                if left.stat().st_mtime < stale:
                    left.unlink()
        return folder

    def _move(self, written: Path, target: Path) -> None:
        """Give a file its name; somebody may just have removed the folder when it was empty."""
        for tries_left in reversed(range(_TRIES)):
            try:
                _make(target.parent)
                written.replace(target)
                break
            except FileNotFoundError:
                if not tries_left:
                    raise
        self._keep_names(target)

    def _keep_names(self, target: Path) -> None:
        """Wait until the disk has the file's name, and those of the folders that it is in.

        Those further up are a tenant's: once they were waited for, that is not done again.
        """
        own = (target.parent, target.parent.parent)
        for folder in (*own, *target.parent.parent.parents):
            if not folder.is_relative_to(self._root):
                break
            if folder in own or folder not in self._kept:
                _sync(folder)
                self._kept.add(folder)


def _make(folder: Path) -> None:
    """Make a folder and those above it, for this user only."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _sync(folder: Path) -> None:
    with suppress(FileNotFoundError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _told() -> Iterator[None]:
    """Say what the system says, without the path: it may be shown to people."""
    try:
        yield
    except OSError as error:
        raise VaultFailed(_reason(error)) from error


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
