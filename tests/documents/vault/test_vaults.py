"""What holds in every vault, wherever the files are."""

from __future__ import annotations

from io import BytesIO, RawIOBase
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import pytest

from leasehold_documents.errors import BadKey, NotInVault
from leasehold_documents.vault import Vault, derived_key, original_key, prefixes_of, vault_of

if TYPE_CHECKING:
    from leasehold_documents.settings import Settings

TENANT = UUID(int=1)
KEY = original_key(TENANT, UUID(int=2), "Mietvertrag.pdf")


def read(vault: Vault, key: str) -> bytes:
    with vault.open(key) as file:
        return file.read()


@pytest.mark.parametrize("size", [0, 1, 3 << 20], ids=["empty", "a byte", "larger than a piece"])
def test_what_was_put_is_read_back_byte_by_byte(vault: Vault, size: int) -> None:
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    assert vault.put(KEY, BytesIO(content)) == size
    assert read(vault, KEY) == content
    with vault.local(KEY) as path:
        assert path.read_bytes() == content


def test_a_file_is_kept_from_where_it_stands(vault: Vault) -> None:
    file = BytesIO(b"headtail")
    file.seek(4)
    assert vault.put(KEY, file) == 4
    assert read(vault, KEY) == b"tail"


def test_a_stream_that_cannot_go_back_is_kept_too(vault: Vault) -> None:
    class Once(RawIOBase):
        def __init__(self) -> None:
            self.left = BytesIO(b"only once")

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]  # as io says
            return self.left.readinto(buffer)

    assert vault.put(KEY, Once()) == 9  # type: ignore[arg-type]  # what a pipe is
    assert read(vault, KEY) == b"only once"


def test_a_second_put_replaces_the_first_while_its_reader_goes_on(vault: Vault) -> None:
    vault.put(KEY, BytesIO(b"old"))
    with vault.open(KEY) as reader:
        vault.put(KEY, BytesIO(b"new"))
        assert reader.read() == b"old"
    assert read(vault, KEY) == b"new"


def test_what_is_not_there_is_said_by_its_key(vault: Vault) -> None:
    assert not vault.exists(KEY)
    for reading in (vault.open, vault.local):
        with pytest.raises(NotInVault) as told, reading(KEY):
            pass
        assert told.value.key.endswith("Mietvertrag.pdf")


def test_deleting_twice_is_as_once(vault: Vault) -> None:
    vault.put(KEY, BytesIO(b"x"))
    assert vault.exists(KEY)
    for _ in range(2):
        vault.delete(KEY)
    assert not vault.exists(KEY)


def test_all_files_of_a_document_go_and_its_neighbours_stay(vault: Vault) -> None:
    document, neighbour = uuid4(), uuid4()
    mine = [original_key(TENANT, document, "a.pdf"), derived_key(TENANT, document)]
    others = [original_key(TENANT, neighbour, "a.pdf"), derived_key(uuid4(), document)]
    for key in mine + others:
        vault.put(key, BytesIO(b"x"))
    for prefix in prefixes_of(TENANT, document) * 2:
        vault.delete_under(prefix)
    assert [vault.exists(key) for key in mine + others] == [False, False, True, True]


@pytest.mark.parametrize(
    "key",
    ["", "/", "..", "../x", "a/../../x", "a//b", "/etc/passwd", ".incoming/x", "a\\b", "a\0", "ä"],
)
def test_no_key_leads_out_of_the_vault(vault: Vault, key: str) -> None:
    for action in (vault.exists, vault.delete, lambda each: vault.put(each, BytesIO())):
        with pytest.raises(BadKey):
            action(key)
    for prefix in (key, f"{key}/"):
        with pytest.raises(BadKey):
            vault.delete_under(prefix)


def test_a_prefix_is_a_folder_and_never_a_beginning_of_names(vault: Vault) -> None:
    vault.put("tenant/12/original/1/a", BytesIO(b"x"))
    with pytest.raises(BadKey):
        vault.delete_under("tenant/1")
    vault.delete_under("tenant/1/")
    assert vault.exists("tenant/12/original/1/a")


def test_the_same_settings_open_the_same_vault(settings: Settings, vault: Vault) -> None:
    assert vault_of(settings) is vault
