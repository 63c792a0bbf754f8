"""A whole memory as JSON lines, out of one file and into another."""

from leasehold_memory.exporting.exporting import Exported, export_memory
from leasehold_memory.exporting.importing import Imported, import_memory

__all__ = ["Exported", "Imported", "export_memory", "import_memory"]
