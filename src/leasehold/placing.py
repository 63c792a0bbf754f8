"""Where a job stands in line: the lane and share that its task's options and its arguments make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leasehold.errors import BadOption
from leasehold.model.throttles import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from leasehold.options import Options

LANE_LIMIT = 200


def fixed_place(options: Options) -> dict[str, Any]:
    """Return what all jobs of these options have in common; a share alone has the lane ""."""
    place: dict[str, Any] = {}
    if options.throttle_key is not None:
        place["lane"] = options.throttle_key
    share = options.tenant if options.share_by == () else options.share
    if share is not None:
        place = {"lane": "", **place, "share": share}
    if options.cost is not None:
        place["cost"] = options.cost
    return place


def is_laned(options: Options) -> bool:
    """Whether jobs of these options wait in lanes."""
    return bool(fixed_place(options).keys() & {"lane", "share"}) or depends_on_arguments(options)


def depends_on_arguments(options: Options) -> bool:
    """Whether jobs of these options differ in their place."""
    return bool(options.throttle_by or options.share_by)


def own_place(options: Options, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a call's arguments make of it; what can't be part of a key is `BadOption`."""
    place: dict[str, Any] = {"shows": True} if depends_on_arguments(options) else {}
    if options.share_by:
        place["share"] = text_of(options.share_by, given)
        if options.throttle_key is None:
            place["lane"] = ""
    if options.throttle_by and options.throttle is not None:
        place["lane"] = f"{options.throttle.name}:{text_of(options.throttle_by, given)}"
        if len(place["lane"]) > LANE_LIMIT:
            raise BadOption(f"throttle: {place['lane'][:40]!r}… is longer than {LANE_LIMIT}")
    return place


def check_arguments(options: Options, names: Mapping[str, Any], kind: str) -> None:
    """Refuse a place made of what the handler does not take, or of what must not be shown."""
    if options.encrypted and depends_on_arguments(options):
        raise BadOption(
            f"task {kind!r} is encrypted, and a throttle or share made of arguments would show "
            "them; name it at the call: with_options(throttle=…)"
        )
    for name in (*(options.throttle_by or ()), *(options.share_by or ())):
        if name not in names:
            raise BadOption(f"task {kind!r}: by({name!r}) is none of its arguments")
