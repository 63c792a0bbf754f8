"""Stripes that others have written, started on this machine: our connector reads them as it is.

localstripe is one of the development dependencies. `python -m tests.sync.standins` installs
stripe-stateful-mock below var/standins, from where this machine's npm takes packages, and syncs
both; the suite's test of it runs where it is installed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import create_connection, create_server
from urllib.parse import urlencode
from urllib.request import Request, urlopen

HOME = Path(os.environ.get("LEASEHOLD_STANDINS_HOME", "var/standins")).resolve()
KEY = "sk_test_12345"
_START_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Standin:
    """A program that answers as Stripe does, and what of Stripe it knows."""

    name: str
    program: Path
    command: tuple[str, ...]
    install: tuple[tuple[str, ...], ...]
    resources: tuple[str, ...]
    can_delete: bool = False

    @property
    def is_installed(self) -> bool:
        return self.program.exists()

    def provide(self) -> bool:
        """Install it unless it is there; say whether it is there now."""
        if not self.is_installed:
            HOME.mkdir(parents=True, exist_ok=True)
            for step in self.install:
                if subprocess.run(step, check=False).returncode:
                    return False
        return self.is_installed

    @contextmanager
    def running(self) -> Iterator[str]:
        """Start it and return its address."""
        with create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [part.format(port=port) for part in self.command]
        environment = os.environ | {"PORT": str(port), "LOG_LEVEL": "silent"}
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                _wait_for(port, process)
                yield f"http://127.0.0.1:{port}"
            finally:
                process.terminate()


STANDINS = (
    Standin(
        name="localstripe",
        program=Path(sys.executable).parent / "localstripe",
        command=(sys.executable, "-m", "localstripe", "--port", "{port}", "--from-scratch"),
        install=(),  # it is one of the development dependencies
        resources=("customers", "products", "subscriptions", "charges", "invoices", "coupons"),
        can_delete=True,
    ),
    Standin(
        name="stripe-stateful-mock",
        program=HOME / "node_modules/stripe-stateful-mock/package.json",
        command=("node", str(HOME / "node_modules/.bin/stripe-stateful-mock")),
        install=(("npm", "install", "--silent", "--prefix", str(HOME), "stripe-stateful-mock"),),
        resources=("customers", "products", "prices", "subscriptions", "charges", "refunds"),
    ),
)


def ask(url: str, method: str, path: str, form: Mapping[str, object] | None = None) -> str:
    """Ask a stand-in for something, and return the id in its answer."""
    body = urlencode(form or {}).encode() if method == "POST" else None
    request = Request(  # noqa: S310  # an address of our own
        url + path, body, {"Authorization": f"Bearer {KEY}"}, method=method
    )
    with urlopen(request, timeout=30) as answer:  # noqa: S310
        return str(json.load(answer)["id"])


def make_customers(url: str, count: int) -> list[str]:
    return [
        ask(url, "POST", "/v1/customers", {"email": f"person{number}@customers.example"})
        for number in range(count)
    ]


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)  # between two looks, until the deadline
        else:
            return
    raise RuntimeError(f"{process.args!r} does not listen")


def main() -> int:
    import pytest

    missing = [standin.name for standin in STANDINS if not standin.provide()]
    for name in missing:
        print(f"{name} can't be installed here", file=sys.stderr)
    return int(pytest.main(["-q", "-n", "0", "-rs", "tests/sync/connectors/test_standins.py"]))


if __name__ == "__main__":
    if shutil.which("node") is None:
        print("without node there is no stripe-stateful-mock", file=sys.stderr)
    sys.exit(main())
