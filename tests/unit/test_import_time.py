"""`import leasehold` is light: what is heavy is loaded when it is used."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = {
    "asyncio",
    "asyncpg",
    "click",
    "django",
    "leasehold.client",
    "leasehold.store",
    "leasehold.worker",
    "psycopg",
    "pydantic",
    "rich",
    "sqlalchemy",
    "sqlite3",
}


def loaded_after(code: str) -> set[str]:
    program = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    return set(json.loads(run.stdout))


def test_import_leasehold_loads_nothing_heavy() -> None:
    assert not loaded_after("import leasehold") & HEAVY


def test_defining_a_task_loads_nothing_heavy() -> None:
    code = "import leasehold as lh\n@lh.task(retry=lh.fixed(1))\ndef f(a: int): ...\nf.call(1)"
    assert not loaded_after(code) & HEAVY


def test_a_client_loads_no_driver_before_it_is_used() -> None:
    drivers = {"psycopg", "sqlite3", "asyncpg", "sqlalchemy", "asyncio"}
    assert not loaded_after("import leasehold as lh\nlh.Client('postgresql://nowhere')") & drivers
