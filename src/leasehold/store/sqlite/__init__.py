"""The store on SQLite: one file, one writer at a time, nothing to install.

    in a process:   threads ──> gate (a lock) ──┐
    on a machine:               flock on FILE-lock ──> BEGIN IMMEDIATE … COMMIT on the one writer
    readers:        threads ──> a few connections that can't write, and wait for nobody

The lock order is always gate, flock, SQLite's own write lock. Python's own `sqlite3` only: two
SQLite libraries in one process would drop each other's file locks.
"""
