"""The two vaults: a folder, and moto's S3 over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from moto.server import ThreadedMotoServer

from leasehold_documents.settings import Settings
from leasehold_documents.vault import Vault, close_vaults, vault_of


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3_settings(s3_endpoint: str) -> Settings:
    """A new bucket; the vault has only a corner of it."""
    bucket = f"papers-{uuid4().hex[:8]}"
    where = {"LocationConstraint": "eu-central-1"}
    body = "".join(f"<{name}>{text}</{name}>" for name, text in where.items())
    made = httpx.put(
        f"{s3_endpoint}/{bucket}",
        content=f"<CreateBucketConfiguration>{body}</CreateBucketConfiguration>",
    )
    made.raise_for_status()
    return Settings(
        vault=f"s3://{bucket}/a/corner", s3_endpoint=s3_endpoint, s3_key_id="id", s3_key="key"
    )


@pytest.fixture(params=["folder", "s3"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    if request.param == "folder":
        return Settings(vault=str(tmp_path / "vault"))
    found: Settings = request.getfixturevalue("s3_settings")
    return found


@pytest.fixture
def vault(settings: Settings) -> Iterator[Vault]:
    yield vault_of(settings)
    close_vaults()
