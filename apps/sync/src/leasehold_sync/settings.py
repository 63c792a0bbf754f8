"""What an operator may say, in variables of the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping

import msgspec

from leasehold.kit.settings import read_settings

PREFIX = "LEASEHOLD_SYNC_"
# Served alone, the worker is asked for where the API's callers expect it.
ALIASES = {"/worker": "/sync/worker"}


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All of them are seconds."""

    silence: float = 300.0  # without a sign of life for so long a task is somebody else's
    page: float = 30.0  # that one page may take
    overlap: float = 300.0  # that an incremental sync looks back before the last one's start


def settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read what the environment says."""
    return read_settings(Settings, PREFIX, environment)
