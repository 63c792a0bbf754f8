"""The folder of a companion: its settings, and a memory file for each embedding preset.

What is in it is personal, and has keys: nobody but its owner may read it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "LEASEHOLD_MEMORY_HOME"
_DEFAULT = "memory"
_OWNER_ONLY = 0o600


def home_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that the environment names, else `./memory`."""
    return Path(environment.get(VARIABLE) or _DEFAULT).expanduser().absolute()


def settings_file(home: Path) -> Path:
    return home / "settings.db"


def memory_file(home: Path, preset_id: str) -> Path:
    """Return the file of an embedding preset's memory, and of the jobs that fill it."""
    return home / f"memory_{preset_id}.db"


def url_of(file: Path) -> str:
    return f"sqlite:///{file}"


def make_private(file: Path) -> None:
    """Make an empty file that only its owner may read, if there is none; SQLite fills it."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(file, os.O_CREAT | os.O_RDWR, _OWNER_ONLY))
