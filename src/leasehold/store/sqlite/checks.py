"""What `leasehold doctor` says of the file, the library and the disk."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from leasehold.errors import StoreError
from leasehold.model.values import Finding
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.inotify import open_watch
from leasehold.store.sqlite.location import (
    MEMORY_FILESYSTEMS,
    UNSURE_FILESYSTEMS,
    ReadMagic,
    name_filesystem,
)
from leasehold.store.sqlite.statements import rows
from leasehold.store.sqlite.wal import LONG_BYTES
from leasehold.store.stranded import stranded

_WAL_RESET_FIXED = (3, 51, 3)
_QUICK_CHECK_BYTES = 256 * 1024 * 1024
_NEWEST = "SELECT 1 FROM sqlite_master WHERE name = 'leasehold_key'"
_MEGABYTE = 1024 * 1024


def examine(database: Database, read_magic: ReadMagic) -> list[Finding]:
    findings = [check_library(sqlite3.sqlite_version_info), _check_disk(database, read_magic)]
    try:
        findings += [
            _check_settings(database),
            _check_log(database),
            _check_integrity(database),
            *_check_stranded(database),
        ]
    except StoreError as error:
        findings.append(_problem("file", f"{database.location.path} can't be used: {error}"))
    findings.append(_check_wake_up(database))
    return findings


def check_library(version: tuple[int, ...]) -> Finding:
    text = "SQLite " + ".".join(map(str, version))
    if version >= _WAL_RESET_FIXED:
        return _ok("version", text)
    return _ok(
        "version",
        f"{text}: before 3.51.3 two checkpoints at once can lose data (the WAL-reset bug). "
        "leasehold avoids it: none of its connections checkpoints by itself, and the one "
        "checkpoint there is runs while the write lock is held",
        "set PRAGMA wal_autocheckpoint = 0 on other connections to this file, or update SQLite",
    )


def _check_disk(database: Database, read_magic: ReadMagic) -> Finding:
    name = name_filesystem(database.location, read_magic)
    folder = database.location.folder
    if name in MEMORY_FILESYSTEMS:
        return _warning(
            "disk", f"{folder} is in memory ({name}): a restart of the machine loses every job"
        )
    if name in UNSURE_FILESYSTEMS:
        return _warning(
            "disk",
            f"{folder} is on {name}, which may be a network file system",
            "SQLite can lose data there; move the file to a local disk unless you know better",
        )
    return _ok("disk", f"{folder} is on {name or 'a file system that this system does not name'}")


def _check_settings(database: Database) -> Finding:
    with database.read() as connection:
        # A connection that was opened before the switch to WAL finds out when it reads.
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        (synchronous,) = connection.execute("PRAGMA synchronous").fetchone()
    if mode == "wal" and synchronous >= 2:  # noqa: PLR2004 - 2 is FULL, 3 is EXTRA
        return _ok(
            "durability",
            "journal mode WAL, each answer waits for the disk: a power cut loses no job",
        )
    return _problem(
        "durability",
        f"journal mode {mode}, synchronous {synchronous}",
        "another program changed the file's settings: run PRAGMA journal_mode = WAL on it",
    )


def _check_log(database: Database) -> Finding:
    found = database.checkpoint()
    size = database.wal_bytes()
    told = f"write-ahead log {size / _MEGABYTE:.1f} MB"
    if size <= LONG_BYTES or found.copied >= found.frames:
        return _ok("log", told)
    return _warning(
        "log",
        f"{told}, {found.frames - found.copied} pages of it pinned: a connection has had a read "
        "transaction open all that time, and the log grows until it ends",
        "find the program that reads this file for long (a backup, a notebook, a forgotten "
        "SELECT) and let it end its transaction",
    )


def _check_integrity(database: Database) -> Finding:
    size = Path(database.location.path).stat().st_size
    if size > _QUICK_CHECK_BYTES:
        return _ok(
            "integrity",
            f"not looked at: the file has {size // _MEGABYTE} MB",
            "run PRAGMA quick_check when there is time",
        )
    started = time.monotonic()
    with database.read() as connection:
        faults = [row[0] for row in connection.execute("PRAGMA quick_check(3)")]
    if faults == ["ok"]:
        return _ok("integrity", f"quick_check: ok ({time.monotonic() - started:.2f} s)")
    return _problem("integrity", "; ".join(faults), "restore the file from a backup")


def _check_stranded(database: Database) -> list[Finding]:
    with database.read() as connection:
        if connection.execute(_NEWEST).fetchone() is None:
            return []  # the tables are older than this code, or are not there
        return list(stranded(rows(connection, "stranded", now=time.time_ns() // 1000)))


def _check_wake_up(database: Database) -> Finding:
    watch = open_watch(database.location.wal, database.location.lock)
    if watch is None:
        return _warning(
            "wake-up",
            "no inotify here: jobs of other processes are found by polling",
            "on Linux raise fs.inotify.max_user_instances",
        )
    watch.close()
    return _ok("wake-up", "inotify: jobs of other processes are found at once")


def _ok(topic: str, message: str, remedy: str = "") -> Finding:
    return Finding(level="ok", topic=topic, message=message, remedy=remedy)


def _warning(topic: str, message: str, remedy: str = "") -> Finding:
    return Finding(level="warning", topic=topic, message=message, remedy=remedy)


def _problem(topic: str, message: str, remedy: str = "") -> Finding:
    return Finding(level="problem", topic=topic, message=message, remedy=remedy)
