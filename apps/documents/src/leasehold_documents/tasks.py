"""All jobs of the application, for a worker: `lh.Worker(client, tasks)`."""

from __future__ import annotations

from leasehold_documents.importing import (
    import_dropbox,
    import_ended,
    import_gdrive,
    import_onedrive,
)
from leasehold_documents.notifying import mail, tell_admin
from leasehold_documents.papers import daily, forget_files, sweep
from leasehold_documents.running.classification import classify_document
from leasehold_documents.running.ended import extraction_ended
from leasehold_documents.running.extraction import extract_document, extract_pages
from leasehold_documents.running.passwords import forget_password

__all__ = [
    "classify_document",
    "daily",
    "extract_document",
    "extract_pages",
    "extraction_ended",
    "forget_files",
    "forget_password",
    "import_dropbox",
    "import_ended",
    "import_gdrive",
    "import_onedrive",
    "mail",
    "sweep",
    "tell_admin",
]
