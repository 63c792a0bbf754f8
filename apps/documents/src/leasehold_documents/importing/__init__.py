"""Files that come from Dropbox, OneDrive and Google Drive: copies, fetched once.

asked = connect(access, "dropbox", redirect_uri=…)     # the person consents at asked.url
connector = finish(access, state=…, code=…)
job_id = start(access, connector["id"], "/Verträge")   # goes on wherever it was interrupted
"""

from leasehold_documents.importing.browsing import browse
from leasehold_documents.importing.connecting import Asked, connect, deny, finish, keep_tokens
from leasehold_documents.importing.connectors import find, get, remove
from leasehold_documents.importing.starting import files_of, progress, start
from leasehold_documents.importing.tasks import (
    import_dropbox,
    import_ended,
    import_gdrive,
    import_onedrive,
)

__all__ = [
    "Asked",
    "browse",
    "connect",
    "deny",
    "files_of",
    "find",
    "finish",
    "get",
    "import_dropbox",
    "import_ended",
    "import_gdrive",
    "import_onedrive",
    "keep_tokens",
    "progress",
    "remove",
    "start",
]
