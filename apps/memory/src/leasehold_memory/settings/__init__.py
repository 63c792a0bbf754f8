"""What a person has set: presets, which of them are active, the token of the API."""

from leasehold_memory.settings.home import home_folder, memory_file
from leasehold_memory.settings.settings import Settings, open_settings
from leasehold_memory.settings.snapshot import Snapshot

__all__ = ["Settings", "Snapshot", "home_folder", "memory_file", "open_settings"]
