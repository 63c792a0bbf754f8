"""A document made the answer that was asked for, and refused where it isn't.

Of a list the bad items are dropped and counted: one of them must not cost the others.
"""

from __future__ import annotations

from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from leasehold_memory.model.answers import MOST_ITEMS, Answer

T = TypeVar("T", bound=Answer)


def fit(schema: type[T], document: Any) -> T:
    """Return the answer; `msgspec.ValidationError` if the document is none."""
    counted = _Counted()
    fields = counted.struct(schema, _wrapped(schema, document))
    fields["dropped"] = counted.dropped
    return msgspec.convert(fields, schema, strict=False)


class _Counted:
    """Goes through one document, and counts what it drops."""

    def __init__(self) -> None:
        self.dropped = 0

    def struct(self, shape: type[msgspec.Struct], value: Any) -> dict[str, Any]:
        """Return the fields that the shape knows, their lists without bad items."""
        if not isinstance(value, dict):
            raise msgspec.ValidationError("Expected `object`")
        hints = get_type_hints(shape, include_extras=True)
        return {
            name: self._items(get_args(hints[name])[0], value[name])
            if get_origin(hints[name]) is list
            else value[name]
            for name in hints
            if name in value and not (value[name] is None and get_origin(hints[name]) is list)
        }

    def _items(self, shape: Any, values: Any) -> list[Any]:
        if not isinstance(values, list):
            raise msgspec.ValidationError("Expected `array`")
        self.dropped += max(0, len(values) - MOST_ITEMS)
        tried = [self._item(shape, each) for each in values[:MOST_ITEMS]]
        kept = [each for each in tried if each is not None]
        if _is_struct(shape) and values and not any(isinstance(each, dict) for each in values):
            raise msgspec.ValidationError("Expected `object` in `array`")
        self.dropped += len(tried) - len(kept)
        return kept

    def _item(self, shape: Any, value: Any) -> Any:
        try:
            plain = self.struct(shape, value) if _is_struct(shape) else value
            return msgspec.to_builtins(msgspec.convert(plain, shape, strict=False))
        except msgspec.ValidationError:
            return None


def _is_struct(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, msgspec.Struct)


def _wrapped(schema: type[Answer], document: Any) -> Any:
    """Take a list for the one list that the answer has: models like to leave its name out."""
    if not isinstance(document, list):
        return document
    required = [each.name for each in msgspec.structs.fields(schema) if each.required]
    return {required[0]: document}
