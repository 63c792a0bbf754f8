"""Calls into the kernel that Python has no functions for, not before 3.12 at least."""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any

_SET_NO_NEW_PRIVILEGES = 38
_SET_SECCOMP = 22
_FILTER = 2
_CAPABILITIES_VERSION = 0x2008_0522


@functools.cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Leave namespaces of the parent; `OSError` when that is not allowed."""
    _call("unshare", ctypes.c_int(flags))


def renounce_privileges() -> None:
    """No program that is started from here has more rights than this one."""
    _control(_SET_NO_NEW_PRIVILEGES, 1)


def set_filter(program: bytes) -> None:
    """Let the kernel look at every system call of this process and those it starts, for good."""
    code = ctypes.create_string_buffer(program, len(program))
    header = _Program(len(program) // 8, ctypes.cast(code, ctypes.c_void_p))
    _control(_SET_SECCOMP, _FILTER, ctypes.addressof(header))


def keep_capabilities(kept: int) -> None:
    """Give up all capabilities but those whose bits are set."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    have = (ctypes.c_uint32 * 6)()
    _call("capget", header, have)
    left = [have[0] & kept, have[1] & kept, 0, 0, 0, 0]
    _call("capset", header, (ctypes.c_uint32 * 6)(*left))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def _control(option: int, *values: int) -> None:
    padded = [*values, 0, 0, 0, 0][:4]
    _call("prctl", ctypes.c_int(option), *map(ctypes.c_ulong, padded))


def _call(name: str, *arguments: Any) -> None:
    function = getattr(_libc(), name, None)
    if function is None:
        raise OSError(f"this system has no {name}")
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
