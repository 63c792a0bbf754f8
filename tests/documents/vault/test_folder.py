"""The folder: nothing half written, whoever is killed or gets in each other's way."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from leasehold_documents.errors import VaultFailed
from leasehold_documents.vault.folder import FolderVault

KEY = "tenant/1/original/2/a.pdf"


def files(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def test_a_file_that_ends_too_early_leaves_the_old_one_and_no_rest(tmp_path: Path) -> None:
    class Broken(BytesIO):
        def read(self, _size: int | None = -1) -> bytes:
            raise ConnectionResetError("the browser is gone")

    vault = FolderVault(tmp_path)
    vault.put(KEY, BytesIO(b"old"))
    with pytest.raises(VaultFailed):
        vault.put(KEY, Broken())
    assert files(tmp_path) == [KEY]
    assert (tmp_path / KEY).read_bytes() == b"old"


def test_the_bytes_are_on_the_disk_before_the_name_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    real_sync, real_replace = os.fsync, Path.replace

    def note_sync(descriptor: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        real_sync(descriptor)

    def note_replace(self: Path, target: Any) -> Path:
        done.append("name")
        return real_replace(self, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_replace)
    vault = FolderVault(tmp_path)
    vault.put(KEY, BytesIO(b"x"))
    assert done == ["file", "name", *["folder"] * 5]
    done.clear()
    vault.put(KEY, BytesIO(b"x"))
    assert done == ["file", "name", "folder", "folder"], "a tenant's folders are safe already"
    vault.delete_under("tenant/1/")
    done.clear()
    vault.put(KEY, BytesIO(b"x"))
    assert done == ["file", "name", *["folder"] * 5]


_WRITER = """
import sys
from io import BytesIO
from pathlib import Path
from leasehold_documents.vault.folder import FolderVault
vault = FolderVault(Path(sys.argv[1]))
while True:
    for letter in (b"a", b"b"):
        vault.put("tenant/1/original/2/a.pdf", BytesIO(letter * 2_000_000))
        print(flush=True)
"""


def test_whoever_is_killed_while_writing_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    vault = FolderVault(tmp_path)
    for puts in range(1, 6):
        with subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path)], stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            for _ in range(puts):
                writer.stdout.readline()
            writer.kill()
        with vault.open(KEY) as file:
            content = file.read()
        assert (len(content), len(set(content))) == (2_000_000, 1)


def test_what_a_crash_left_half_written_goes_after_a_day(tmp_path: Path) -> None:
    vault = FolderVault(tmp_path)
    vault.put(KEY, BytesIO(b"x"))
    left, fresh = (tmp_path / ".incoming" / name for name in ("left", "fresh"))
    for path in (left, fresh):
        path.write_bytes(b"half")
    os.utime(left, (1, 1))
    vault.put(KEY, BytesIO(b"y"))
    assert files(tmp_path) == [".incoming/fresh", KEY]


def test_only_this_user_may_read(tmp_path: Path) -> None:
    vault = FolderVault(tmp_path / "vault")
    vault.put(KEY, BytesIO(b"x"))
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "vault").rglob("*")}
    assert modes <= {0o600, 0o700}


def test_a_put_whose_folder_is_just_taken_away_makes_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, real_replace = FolderVault(tmp_path), Path.replace
    gone: list[Path] = []

    def replace_too_late(self: Path, target: Path) -> Path:
        if not gone:
            vault.delete("tenant/1/original/2/other.pdf")
            gone.append(target.parent)
        return real_replace(self, target)

    monkeypatch.setattr(Path, "replace", replace_too_late)
    vault.put(KEY, BytesIO(b"x"))
    assert gone
    assert vault.exists(KEY)


def test_what_the_disk_refuses_is_told_without_a_path(tmp_path: Path) -> None:
    (tmp_path / "tenant").write_text("no folder")
    with pytest.raises(VaultFailed) as told:
        FolderVault(tmp_path).put(KEY, BytesIO(b"x"))
    assert str(tmp_path) not in str(told.value)
    assert files(tmp_path) == ["tenant"]
