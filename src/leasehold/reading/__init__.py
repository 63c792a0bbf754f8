"""Reads archives and JSON of strangers: no more entries, bytes or levels than it was told to."""

from leasehold.reading.gzips import gunzip
from leasehold.reading.jsons import read_json
from leasehold.reading.limits import ArchiveLimits, ArchiveRefused, JsonRefused
from leasehold.reading.tars import TarReader, open_tar
from leasehold.reading.zips import ZipReader, open_zip

__all__ = [
    "ArchiveLimits",
    "ArchiveRefused",
    "JsonRefused",
    "TarReader",
    "ZipReader",
    "gunzip",
    "open_tar",
    "open_zip",
    "read_json",
]
