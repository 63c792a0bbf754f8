"""`leasehold-documents extract-server`: a process of its own that reads files for others."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from leasehold_documents.demo import files
from leasehold_documents.extracting import engine_of
from leasehold_documents.settings import Settings
from tests.documents.cli.kit import runner
from tests.worker.kit import wait_until

KEY = "swordfish"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_up(address: str) -> bool:
    try:
        return httpx.get(f"{address}/healthcheck").is_success
    except httpx.TransportError:
        return False


@contextmanager
def serving() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    words = ("-m", "leasehold_documents.cli", "extract-server", "--json")
    # Its own address is named as the one that files are sent to: it must not ask itself.
    port = free_port()
    said = {"EXTRACTION_KEY": KEY, "EXTRACTION_URL": f"http://127.0.0.1:{port}"}
    env = os.environ | {f"LEASEHOLD_DOCUMENTS_{name}": text for name, text in said.items()}
    with subprocess.Popen(
        [sys.executable, *words, "--port", str(port)], env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            address = json.loads(process.stdout.readline())["address"]
            wait_until(lambda: is_up(address), "it answers", 60)
            yield address, process
        finally:
            process.kill()


def test_a_worker_elsewhere_lets_it_read_and_it_ends_when_it_is_told(tmp_path: Path) -> None:
    paper = tmp_path / "a.pdf"
    paper.write_bytes(files.pdf(("Mietvertrag", "Die Kündigungsfrist beträgt drei Monate.")))
    with serving() as (address, process):
        engine = engine_of(Settings(extraction_url=address, extraction_key=KEY))
        read = engine.extract(paper, media_type="application/pdf", strategy="fast")
        assert "Kündigungsfrist" in " ".join(element.text for element in read.elements)
        form = {"files": ("a.pdf", paper.read_bytes(), "application/pdf")}
        refused = httpx.post(f"{address}/general/v0/general", files=form)
        assert refused.status_code == 401
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) in {0, -signal.SIGTERM}


def test_an_address_that_others_reach_needs_a_key(tmp_path: Path) -> None:
    said = runner("sqlite://", tmp_path)("extract-server", "--host", "0.0.0.0")  # noqa: S104 - refused
    assert (said.code, said.out) == (1, "")
    assert "EXTRACTION_KEY" in said.err
