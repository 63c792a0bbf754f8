"""What an operator can say about the service."""

from __future__ import annotations

import msgspec

SILENT_SECONDS = 300.0
BODY_LIMIT = 1_048_576
ANY_HOST = "*"


class WebSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the service behaves.

    `needs_worker=False` is for where jobs are run by `POST /worker` only: the service is ready
    though no worker was seen for `silent_seconds`. `hosts` are names it answers to beside
    loopback's, so that no page of another site can reach it by a name of its own; `*` is any.
    `runs_at_once` is how many `POST /worker` may run together in this process.
    """

    is_read_only: bool = False
    needs_worker: bool = True
    silent_seconds: float = SILENT_SECONDS
    hosts: tuple[str, ...] = ()
    body_limit: int = BODY_LIMIT  # bytes
    runs_at_once: int = 1
