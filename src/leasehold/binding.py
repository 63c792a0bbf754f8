"""A handler's parameters, compiled once: a call becomes {name: value}, and is read back."""

from __future__ import annotations

import functools
import inspect
import operator
import typing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.errors import BadArguments, BadOption
from leasehold.model.secrets import secrets_in
from leasehold.payload import build_decoder, build_result_decoder, explain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_KINDS = inspect.Parameter
_is_unset = functools.partial(operator.is_, msgspec.UNSET)
_REFUSED: dict[object, str] = {
    _KINDS.POSITIONAL_ONLY: "is positional-only, and arguments are stored by name: drop the '/'",
    _KINDS.VAR_POSITIONAL: "has no names to store its values by: take a list instead",
    _KINDS.VAR_KEYWORD: "would accept any misspelt name: take a dict instead",
}


@dataclass(frozen=True, eq=False)
class Binding:
    """The compiled parameters of one handler. The decoder is made at first use.

    Not slotted: `decoder` is cached on the instance, so that annotations may name what the
    module defines later.
    """

    kind: str
    handler: Callable[..., Any]
    signature: inspect.Signature
    positional: tuple[str, ...]
    has_defaults: bool

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Name the values. What is missing or unknown is left for `check` to find, for speed."""
        if not args:
            return kwargs
        given = dict(zip(self.positional, args, strict=False))
        if kwargs:
            given.update(kwargs)
        if len(given) != len(args) + len(kwargs):
            raise self.refuse(self._misfit(args, kwargs) or "they do not fit the parameters")
        return given

    def check(self, raw: bytes, args: tuple[Any, ...], kwargs: dict[str, Any]) -> msgspec.Struct:
        """Check encoded arguments against the annotations, by reading them as the worker will.

        Returns what was read: `values_of` takes it.
        """
        try:
            read: msgspec.Struct = self.decoder.decode(raw)
        except (msgspec.MsgspecError, RecursionError) as error:
            # Python's own words for a missing or unknown name, msgspec's for a wrong value.
            raise self.refuse(self._misfit(args, kwargs) or explain(error)) from error
        return read

    def decode(self, raw: str | bytes) -> dict[str, Any]:
        """Read stored arguments as the annotations say; defaults are left to the handler."""
        try:
            values = msgspec.structs.asdict(self.decoder.decode(raw))
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise self.refuse(explain(error)) from error
        if self.has_defaults:
            return {name: value for name, value in values.items() if value is not msgspec.UNSET}
        return values

    def values_of(self, read: msgspec.Struct, names: Iterable[str]) -> list[Any]:
        """Take some of the arguments that `check` has read; what is left out has its default.

        For each job of a task whose key is made of them, so without a dict of all.
        """
        values = [getattr(read, name) for name in names]
        if not any(map(_is_unset, values)):
            return values
        return [
            self.defaults[name] if value is msgspec.UNSET else value
            for name, value in zip(names, values, strict=True)
        ]

    def check_secrets(self, raw: bytes) -> None:
        """Refuse a `Secret` where the handler is not told that it is one: it would show it."""
        for name, value in self.decode(raw).items():
            if any(True for _ in secrets_in(value)):
                raise self.refuse(f"args.{name}: annotate it as a Secret, since it is given one")

    @functools.cached_property
    def defaults(self) -> dict[str, Any]:
        """The values of parameters that a call may leave out."""
        parameters = self.signature.parameters.values()
        return {each.name: each.default for each in parameters if each.default is not _KINDS.empty}

    @functools.cached_property
    def decoder(self) -> msgspec.json.Decoder[Any]:
        """The reader of the arguments. Annotations that can't be used are `BadOption`."""
        parameters = self.signature.parameters.values()
        hints = self._resolve_hints()
        fields = {each.name: hints.get(each.name, Any) for each in parameters}
        required = [each.name for each in parameters if each.default is _KINDS.empty]
        try:
            return build_decoder("Arguments", fields, required)
        except (TypeError, ValueError) as error:
            raise BadOption(
                f"task {self.kind!r}: its annotations can't be checked against JSON: {error}"
            ) from error

    @functools.cached_property
    def result_decoder(self) -> msgspec.json.Decoder[Any]:
        """The reader of what the handler returned; of what JSON can't be turned into, plain JSON.

        An `async def` is annotated with what it is awaited for.
        """
        return build_result_decoder(self._resolve_hints().get("return", Any))

    def refuse(self, reason: str) -> BadArguments:
        """Make the error for arguments of this kind."""
        return BadArguments(self.kind, reason)

    def _resolve_hints(self) -> Mapping[str, Any]:
        try:
            return typing.get_type_hints(_function_behind(self.handler), include_extras=True)
        except (NameError, TypeError, AttributeError, SyntaxError) as error:
            raise BadOption(
                f"task {self.kind!r}: an annotation can't be resolved at run time: {error}; "
                "import what it names outside of TYPE_CHECKING"
            ) from error

    def _misfit(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        try:
            self.signature.bind(*args, **kwargs)
        except TypeError as error:
            return str(error)
        return None


def compile_binding(kind: str, handler: Callable[..., Any]) -> Binding:
    """Look at the handler's parameters; those that can't be stored by name are `BadOption`."""
    signature = _read_signature(kind, handler)
    for index, parameter in enumerate(signature.parameters.values()):
        _check_parameter(kind, index, parameter)
    positional = tuple(
        each.name
        for each in signature.parameters.values()
        if each.kind is _KINDS.POSITIONAL_OR_KEYWORD
    )
    has_defaults = any(each.default is not _KINDS.empty for each in signature.parameters.values())
    return Binding(kind, handler, signature, positional, has_defaults)


def _read_signature(kind: str, handler: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(handler)
    except (ValueError, TypeError) as error:
        raise BadOption(
            f"task {kind!r}: its parameters can't be read ({error}); wrap it in a function"
        ) from error


def _check_parameter(kind: str, index: int, parameter: inspect.Parameter) -> None:
    refused = _REFUSED.get(parameter.kind)
    if refused is not None:
        raise BadOption(f"task {kind!r}: the parameter {str(parameter)!r} {refused}")
    if index == 0 and parameter.name in {"self", "cls"}:
        raise BadOption(
            f"task {kind!r} is a method, and {parameter.name} can't be stored: "
            "make it a function or a staticmethod"
        )


def _function_behind(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Find the function that carries the annotations."""
    handler = inspect.unwrap(handler)
    while isinstance(handler, functools.partial):
        handler = handler.func
    if inspect.isroutine(handler):
        return handler
    return type(handler).__call__
