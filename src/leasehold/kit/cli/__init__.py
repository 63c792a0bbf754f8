"""The commands that every application's program has, and how its others open what they are about.

    from leasehold.kit.cli import migrate_command, open_tables, serve_command

They go with `leasehold.cli.kit`, which has what commands ask, answer and fail with.
"""

from leasehold.kit.cli.migrate import migrate_command
from leasehold.kit.cli.opening import Opened, open_tables
from leasehold.kit.cli.serve import serve_command
from leasehold.kit.cli.working import has_worker

__all__ = ["Opened", "has_worker", "migrate_command", "open_tables", "serve_command"]
