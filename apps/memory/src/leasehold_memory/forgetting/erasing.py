"""Takes what was deleted out of the bytes of a file and of its log.

A deleted row stays readable in both until something is written over it, and a deleted word in the
text index until that is merged. So the index is merged, the file written anew, and the log emptied.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from leasehold_memory.data import text_index

if TYPE_CHECKING:
    from leasehold.kit.data import Database

PATIENCE_SECONDS = 10.0  # for those who read the log still


def erase(database: Database) -> bool:
    """Write a file anew without what was deleted; False while somebody reads the old log.

    It takes as long as copying the file, and others wait meanwhile before they write.
    """
    with database.write() as connection:
        text_index.merge(connection)
    with closing(database.engine.raw_connection()) as connection:
        driver: Any = connection.driver_connection
        driver.execute("VACUUM")
        return _empty_log(driver)


def _empty_log(driver: Any) -> bool:
    # It waits for the write lock, too, and holds it: nobody appends to the log meanwhile, which is
    # what the reset bug of SQLite before 3.51.3 needs.
    (usual,) = driver.execute("PRAGMA busy_timeout").fetchone()
    driver.execute(f"PRAGMA busy_timeout = {int(PATIENCE_SECONDS * 1000)}")
    try:
        is_busy, _, _ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        driver.execute(f"PRAGMA busy_timeout = {usual}")
    return not is_busy
