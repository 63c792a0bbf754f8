"""When so much is gone that it is rather the source that is wrong."""

from __future__ import annotations

from leasehold_sync.errors import SyncError

MOST = 20
MOST_SHARE = 0.5


class MassDelete(SyncError):
    """A scan did not see most of what was there; nothing was deleted."""

    def __init__(self, gone: int, live: int, resource: str) -> None:
        super().__init__(
            f"mass_delete: the source no longer shows {gone:,} of {live:,} {resource}; nothing was"
            " deleted. If that is right, sync again with force"
        )
        self.gone = gone
        self.live = live
        self.resource = resource


def check_deletion(gone: int, live: int, resource: str) -> None:
    """Refuse to delete over half of what is there, unless it is little."""
    if gone > MOST and gone > live * MOST_SHARE:
        raise MassDelete(gone, live, resource)
