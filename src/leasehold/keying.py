"""The key that a job's options and its arguments make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leasehold.errors import BadOption
from leasehold.model.keys import Mode, key_of
from leasehold.model.throttles import EVERY
from leasehold.payload import encode, encode_checked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import msgspec

    from leasehold.binding import Binding
    from leasehold.errors import BadArguments
    from leasehold.options import Options

_VALUES_LIMIT = 2**28  # the arguments have a limit of their own


def fixed_key(options: Options) -> dict[str, Any]:
    """Return what all jobs of these options have in common."""
    key = options.key_words.key
    return {} if key is None or _lacks_delay(options) else _unique(options, key)


def is_keyed_by_call(options: Options) -> bool:
    """Whether a call decides about the key, or that there can't be a job."""
    return options.key_words.key_by is not None or _lacks_delay(options)


def own_key(options: Options, binding: Binding, read: msgspec.Struct) -> dict[str, Any]:
    """Return what a call's arguments make of it: their values are as the handler will have them.

    So one that is left out counts as its default, and 1 as 1.0 where a float is wanted.
    """
    key_by = options.key_words.key_by
    if key_by is None:
        return _unique(options, options.key_words.key or "")
    names = tuple(binding.signature.parameters) if key_by == EVERY.arguments else key_by
    # They were checked as arguments: once is enough.
    key = key_of(binding.kind, encode_checked(binding.values_of(read, names)))
    return _unique(options, key, is_of_arguments=True)


def own_key_by_name(
    options: Options, kind: str, args: Mapping[str, Any], refuse: Callable[[str], BadArguments]
) -> dict[str, Any]:
    """Do the same where the handler is not known: what is not given has no value."""
    if not is_keyed_by_call(options):
        return {}
    key_by = options.key_words.key_by or ()
    if key_by == EVERY.arguments:
        raise BadOption("key: by() needs the handler's code; here, name the arguments")
    for name in key_by:
        if name not in args:
            raise refuse(f"args: the key is made of {name!r}, which is not given")
    key = _key(kind, [args[name] for name in key_by], refuse)
    return _unique(options, key, is_of_arguments=bool(key_by))


def check_key_arguments(options: Options, names: Mapping[str, Any], kind: str) -> None:
    """Refuse a key made of what the handler does not take."""
    key_by = options.key_words.key_by or ()
    for name in () if key_by == EVERY.arguments else key_by:
        if name not in names:
            raise BadOption(f"task {kind!r}: by({name!r}) is none of its arguments")


def _key(kind: str, values: Sequence[Any], refuse: Callable[[str], BadArguments]) -> str:
    return key_of(kind, encode(list(values), root="key", limit=_VALUES_LIMIT, refuse=refuse))


def _unique(options: Options, key: str, *, is_of_arguments: bool = False) -> dict[str, Any]:
    has_delay = options.delay_seconds is not None
    words = options.key_words
    return {"unique": words.unique(key, has_delay=has_delay, is_of_arguments=is_of_arguments)}


def _lacks_delay(options: Options) -> bool:
    return options.key_words.on_duplicate is Mode.DEBOUNCE and options.delay_seconds is None
