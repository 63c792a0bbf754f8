"""Archives that are what they seem are read; those that are traps are refused before anything."""

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from leasehold.reading import (
    ArchiveLimits,
    ArchiveRefused,
    JsonRefused,
    gunzip,
    open_tar,
    open_zip,
    read_json,
)
from tests.safety.strangers.bombs import many_entries, overlapping_zip, tar_of, zip_of
from tests.safety.strangers.servers import name_of

_TEXT = b"The quick brown fox. " * 5_000


def test_a_zip_file_is_read_as_it_is() -> None:
    raw = zip_of(("folder/", b""), ("folder/a.txt", _TEXT), ("ä", b""))
    with open_zip(io.BytesIO(raw)) as archive:
        assert archive.names == ["folder/", "folder/a.txt", "ä"]
        assert archive.read("folder/a.txt") == _TEXT
        assert archive.size("folder/a.txt") == len(_TEXT)
        with pytest.raises(ArchiveRefused, match="no member 'b'"):
            archive.read("b")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_tar_file_is_read_as_it_is(pack: Callable[[bytes], bytes]) -> None:
    raw = pack(tar_of(("a.txt", _TEXT), ("n" * 300, b"long"), ("empty", b"")))
    with open_tar(io.BytesIO(raw)) as archive:
        read = {name: b"".join(pieces) for name, pieces in archive.members()}
    assert read == {"a.txt": _TEXT, "n" * 300: b"long", "empty": b""}


def test_a_packed_tar_file_is_bounded_by_its_total() -> None:
    limits = ArchiveLimits(entry_bytes=len(_TEXT), total_bytes=3 * len(_TEXT))
    members = [(f"{n}", _TEXT) for n in range(4)]
    with open_tar(io.BytesIO(gzip.compress(tar_of(*members[:3]))), limits) as archive:
        assert sum(len(b"".join(pieces)) for _, pieces in archive.members()) == 3 * len(_TEXT)
    packed = io.BytesIO(gzip.compress(tar_of(*members)))
    with pytest.raises(ArchiveRefused) as caught, open_tar(packed, limits) as archive:
        assert [b"".join(pieces) for _, pieces in archive.members()]
    assert caught.value.fault == "size"


def test_gzip_files_of_several_members_and_padding_are_read() -> None:
    raw = gzip.compress(_TEXT) + gzip.compress(b"end") + b"\0" * 70_000
    assert b"".join(gunzip(io.BytesIO(raw))) == _TEXT + b"end"


@pytest.mark.parametrize(
    "name",
    [
        "../up", "a/../../up", "/etc/passwd", "..", "a/..", "c:/x", "C:x", "a\\b", "\\\\host\\x",
        "a//b", "new\nline", "\x7f", "n" * 2_000,
    ],
)  # fmt: skip
def test_names_that_lead_out_are_refused(name: str) -> None:
    for raw, opened in ((zip_of((name, b"")), open_zip), (tar_of((name, b"")), open_tar)):
        if name.startswith("/") and opened is open_tar:
            continue  # Python's tar writer takes the slash away
        with pytest.raises(ArchiveRefused) as caught, opened(io.BytesIO(raw)) as archive:
            assert list(getattr(archive, "members", list)())
        assert caught.value.fault == "name"


def test_the_same_name_twice_is_refused() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("a", b"one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a", b"two")
    with pytest.raises(ArchiveRefused, match="two members"), open_zip(made):
        pass


def _changed(change: Callable[[zipfile.ZipInfo], None], method: int = zipfile.ZIP_STORED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        archive.writestr("a", b"content")
        change(archive.filelist[0])
    return made.getvalue()


def _link(member: zipfile.ZipInfo) -> None:
    member.external_attr = (stat.S_IFLNK | 0o777) << 16


def _encrypt(member: zipfile.ZipInfo) -> None:
    member.flag_bits |= 1


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (_changed(_link), "kind"),
        (_changed(_encrypt), "encrypted"),
        (_changed(lambda _: None, zipfile.ZIP_LZMA), "kind"),
        (_changed(lambda _: None, zipfile.ZIP_BZIP2), "kind"),
        (b"", "broken"),
        (b"PK\3\4" + bytes(99), "broken"),
        (zip_of(("a", _TEXT))[:-30], "broken"),
        (zip_of(*((f"{n}", b"") for n in range(1_001))), "entries"),
        (many_entries(), "entries"),
        (overlapping_zip(2, 1_000), "ratio"),
    ],
    ids=name_of,
)
def test_odd_zip_files_are_refused(raw: bytes, fault: str) -> None:
    with pytest.raises(ArchiveRefused) as caught, open_zip(io.BytesIO(raw)):
        pass
    assert caught.value.fault == fault


def test_a_member_that_was_changed_is_refused() -> None:
    raw = zip_of(("a", _TEXT), method=zipfile.ZIP_STORED).replace(b"quick", b"quack", 1)
    with open_zip(io.BytesIO(raw)) as archive, pytest.raises(ArchiveRefused, match="CRC"):
        archive.read("a")


def test_reading_a_member_again_and_again_counts_each_time() -> None:
    limits = ArchiveLimits(total_bytes=2 * len(_TEXT))
    with open_zip(io.BytesIO(zip_of(("a", _TEXT))), limits) as archive:
        archive.read("a")
        archive.read("a")
        with pytest.raises(ArchiveRefused, match="bytes in all"):
            archive.read("a")


def _as(kind: bytes) -> Callable[[tarfile.TarInfo], None]:
    def change(info: tarfile.TarInfo) -> None:
        info.type, info.linkname = kind, "/etc/passwd"

    return change


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE]
)
def test_links_and_devices_in_a_tar_file_are_refused(kind: bytes) -> None:
    raw = tar_of(("a", b""), change=_as(kind))
    with pytest.raises(ArchiveRefused) as caught, open_tar(io.BytesIO(raw)) as archive:
        assert list(archive.members())
    assert caught.value.fault == "kind"


@pytest.mark.parametrize(
    "raw",
    [gzip.compress(_TEXT)[:-9], b"\x1f\x8bjunk", b"", gzip.compress(_TEXT) + b"x"],
    ids=name_of,
)
def test_broken_gzip_files_are_refused(raw: bytes) -> None:
    with pytest.raises(ArchiveRefused) as caught:
        assert list(gunzip(io.BytesIO(raw)))
    assert caught.value.fault == "broken"


@pytest.mark.parametrize("raw", [b"", b"x" * 512, tar_of(("a", _TEXT))[:2_000]], ids=name_of)
def test_broken_tar_files_are_refused(raw: bytes) -> None:
    with pytest.raises(ArchiveRefused) as caught, open_tar(io.BytesIO(raw)) as archive:
        assert [b"".join(pieces) for _, pieces in archive.members()]
    assert caught.value.fault == "broken"


def test_json_is_read_as_plain_values_or_as_a_type() -> None:
    assert read_json(b'{"a": [1, "[[[[[["]}', depth=2) == {"a": [1, "[[[[[["]}
    assert read_json(b"[1, 2]", list[int]) == [1, 2]


@pytest.mark.parametrize(
    ("raw", "options"),
    [
        (b"[[[]]]", {"depth": 2}),
        (b'{"a": {"b": {}}}', {"depth": 2}),
        (b"[1, 2, 3]", {"most_bytes": 5}),
        (b"[1,", {}),
        (b'["a"]', {"kind": list[int]}),
        (b'"\xff"', {}),
        (b"", {}),
    ],
    ids=name_of,
)
def test_json_that_is_too_much_or_none_is_refused(raw: bytes, options: dict[str, Any]) -> None:
    with pytest.raises(JsonRefused):
        read_json(raw, **options)
