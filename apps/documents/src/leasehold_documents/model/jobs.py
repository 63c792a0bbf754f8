"""What jobs are called, and where they wait: the seed's types, on two queues.

Imports have a queue of their own: they take long and wait for others' servers.
"""

from __future__ import annotations

from typing import Final

EXTRACT: Final = "extract_document"
CLASSIFY: Final = "classify_document"
IMPORTS: Final = ("import_dropbox", "import_onedrive", "import_gdrive")
TYPES: Final = (EXTRACT, CLASSIFY, *IMPORTS)

QUEUE: Final = "documents"
IMPORT_QUEUE: Final = "documents-imports"
QUEUES: Final = (QUEUE, IMPORT_QUEUE)
