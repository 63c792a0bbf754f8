"""Arguments and results as JSON: encoding, the values that are refused, and typed decoding.

Encoding first, looking second: the values that JSON or a database can't hold leave a trace in the
encoded text (NaN becomes null, NUL becomes an escape, …), so one search over the text clears nearly
every job, and only a suspicious one is walked through, value by value, to name the bad place.
"""

from __future__ import annotations

import re
import sys
import typing
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from leasehold.model import secrets
from leasehold.model.secrets import Secret
from leasehold.walk import DEPTH_LIMIT, find_fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from leasehold.errors import BadValue

    Refuse: TypeAlias = Callable[[str], BadValue]

# What NUL, integers beyond 64 bits and datetimes without a zone look like; and what is common to
# each of them once every digit reads 0, which is far quicker to look for.
_SUSPICIOUS = re.compile(rb'\\u0000|\d{19}|T\d\d:\d\d:\d\d(?:\.\d+)?"')
_DIGITS_TO_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)
_NINETEEN_DIGITS = b"0" * 19
_NEVER_NAN = frozenset({type(None), str, int, bool})
_AT_ONCE = 65_536
_NOT_STRUCTURE = bytes(set(range(256)) - set(b'"[]{}'))
_BRACES_TO_BRACKETS = bytes.maketrans(b"{}", b"[]")
_AT = re.compile(r" - at `(?:key in )?\$?(.*)`$")


def encode(value: object, *, root: str, limit: int, refuse: Refuse) -> bytes:
    """Encode to JSON text whose bytes are equal when the values are; `refuse` makes the error."""
    try:
        raw, is_suspicious = _encode(value)
    except (TypeError, ValueError, RecursionError, AttributeError) as error:
        raise refuse(find_fault(value, root, encode_leaf) or f"{root}: {error}") from error
    is_suspicious = is_suspicious or _may_hide_nan(value, raw) or is_too_deep(raw)
    if is_suspicious or _looks_suspicious(raw):
        fault = find_fault(value, root, encode_leaf)
        if fault is not None:
            raise refuse(fault)
    if len(raw) > limit:
        raise refuse(
            f"{root}: {len(raw):,} bytes of JSON are more than the limit of {limit:,}; "
            "store the data elsewhere and pass a reference to it"
        )
    return raw


def encode_checked(value: object) -> bytes:
    """Encode what was read from text that `encode` has made: nothing in it can be wrong."""
    return _encode(value)[0]


class SecretsMet:
    """Counts the secrets that were encoded, by whichever thread.

    When the count has not moved, there is none in what was encoded meanwhile: far quicker to see
    than by looking through the text.
    """

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def are_in(self, raw: bytes, *, since: int) -> bool:
        """Whether a secret stands in what was encoded since then."""
        return self.count != since and secrets.RAW_MARK in raw


def refuse_secrets(raw: bytes, *, root: str, refuse: Refuse) -> None:
    """Refuse a `Secret` in what a plain job would leave in plain."""
    if secrets.RAW_MARK in raw:
        raise refuse(f"{root}: a Secret is kept by an encrypted task only: @task(encrypted=True)")


def check_syntax(raw: bytes, *, root: str, refuse: Refuse) -> None:
    """Refuse text that is not JSON: a `msgspec.Raw` inside of a value is written as it stands."""
    try:
        raw.decode()
        _SYNTAX.decode(raw)
    except (msgspec.MsgspecError, UnicodeError) as error:
        reason = f"{root}: a msgspec.Raw in it is not JSON: {error}"
        raise refuse(reason) from error


def _encode(value: object) -> tuple[bytes, bool]:
    try:
        return _ENCODER.encode(value), False
    except TypeError:
        # A dict whose keys are not text can't be put in order as it is. Its keys become text here,
        # and it is walked through in any case: 1 and "1" would be one key.
        plain = msgspec.to_builtins(value, str_keys=True, enc_hook=_encode_custom)
        return _ENCODER.encode(plain), True


def _looks_suspicious(raw: bytes) -> bool:
    shape = raw.translate(_DIGITS_TO_ZEROS)
    if rb"\u0000" in shape or _NINETEEN_DIGITS in shape or b"T00:00:00" in shape:
        return _SUSPICIOUS.search(raw) is not None
    return False


def _may_hide_nan(value: object, raw: bytes) -> bool:
    """Whether a null may have been NaN or infinity; None among plain arguments is common."""
    if b"null" not in raw:
        return False
    return type(value) is not dict or not _NEVER_NAN.issuperset(map(type, value.values()))


def encode_leaf(value: object) -> None:
    """Raise what msgspec raises for a value that it can't encode."""
    _ENCODER.encode(value)


def is_too_deep(raw: bytes, limit: int = DEPTH_LIMIT) -> bool:
    """Whether containers stand deeper in each other than the limit; linear, and mostly free."""
    if raw.count(b"[") + raw.count(b"{") <= limit:
        return False
    bare = (
        raw.replace(b"\\\\", b"")
        .replace(b'\\"', b"")
        .translate(_BRACES_TO_BRACKETS, _NOT_STRUCTURE)
    )
    brackets = _without_texts(bare)
    if b"[" * (limit + 1) in brackets:
        return True  # most of those that are too deep, without a hundred rounds
    for _level in range(limit):
        brackets = brackets.replace(b"[]", b"")
    return bool(brackets)


def _without_texts(bare: bytes) -> bytes:
    """Take out what stands between quotes; by and by, since each piece is an object of its own."""
    kept, is_inside = [], False
    for start in range(0, len(bare), _AT_ONCE):
        pieces = bare[start : start + _AT_ONCE].split(b'"')
        kept.append(b"".join(pieces[is_inside::2]))
        is_inside ^= len(pieces) % 2 == 0
    return b"".join(kept)


def build_decoder(
    name: str, fields: Mapping[str, Any], required: Iterable[str]
) -> msgspec.json.Decoder[Any]:
    """Make a decoder into a struct with these fields; what was not given reads UNSET."""
    musts = frozenset(required)
    listed = [
        (field, kind) if field in musts else (field, kind, msgspec.UNSET)
        for field, kind in fields.items()
    ]
    struct = msgspec.defstruct(name, listed, kw_only=True, forbid_unknown_fields=True, gc=False)
    return msgspec.json.Decoder(struct, dec_hook=_decode_custom)


def build_result_decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Make a decoder into what a handler is said to return, or into plain values."""
    try:
        return msgspec.json.Decoder(kind, dec_hook=_decode_custom)
    except (TypeError, ValueError):
        return msgspec.json.Decoder()


def read_as(value: Any, kind: Any) -> Any:
    """Read decoded JSON as a type, else raise what msgspec raises."""
    return msgspec.convert(value, kind, str_keys=True, dec_hook=_decode_custom)


def explain(error: Exception, root: str = "args") -> str:
    """Turn "Expected `int`, got `str` - at `$.a`" into "args.a: expected `int`, got `str`"."""
    message = str(error)
    place = _AT.search(message)
    reason = _AT.sub("", message)
    return f"{root}{place[1] if place else ''}: {reason[:1].lower()}{reason[1:]}"


def _encode_custom(value: Any) -> Any:
    if isinstance(value, Secret):
        MET.count += 1  # of two at once one may be lost, and it has moved all the same
        return {secrets.NAME: value.reveal()}
    if is_pydantic(type(value)):
        # by_alias and round_trip: what is written is what model_validate reads back.
        return value.model_dump(mode="json", by_alias=True, round_trip=True)
    raise TypeError(f"{type(value).__qualname__} can't be stored as JSON")


def _decode_custom(kind: Any, value: Any) -> Any:
    if kind is Secret or typing.get_origin(kind) is Secret:
        return _read_secret(value, *typing.get_args(kind))
    if isinstance(kind, type) and is_pydantic(kind):
        # From JSON, not from Python values: a strict model accepts a date as text only there.
        return kind.model_validate_json(_ENCODER.encode(value))  # type: ignore[attr-defined] # seen by is_pydantic
    raise TypeError(f"{getattr(kind, '__qualname__', kind)} can't be read back from JSON")


def _read_secret(value: Any, inner: Any = Any) -> Secret[Any]:
    if not isinstance(value, dict) or value.keys() != {secrets.NAME}:
        raise ValueError("expected a Secret: write Secret(…) where it is enqueued")
    return Secret(read_as(value[secrets.NAME], inner))


def is_pydantic(kind: type) -> bool:
    """Whether it is a pydantic model. A program without pydantic never imports it for this."""
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and issubclass(kind, pydantic.BaseModel)


MET = SecretsMet()
_ENCODER = msgspec.json.Encoder(order="deterministic", enc_hook=_encode_custom)
_SYNTAX = msgspec.json.Decoder(msgspec.Raw)
