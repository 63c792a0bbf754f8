"""A filter of system calls: no sockets, no way to other processes, no new namespaces.

It is a small program that the kernel runs before each call. It looks at the number of the call and
at plain arguments only; what an argument points to it can't see, so calls that hide what they do
behind a pointer are refused as a whole.
"""

from __future__ import annotations

import errno
import os
import struct
from dataclasses import dataclass

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW = 0x7FFF_0000
_REFUSE = 0x0005_0000
_X32 = 0x4000_0000  # the calls of another interface on x86-64, under numbers of its own
_UNIX, _STREAM, _KIND = 1, 1, 0xF
_THREAD = 0x0001_0000
_NEW_NAMESPACES = 0x7E02_0000  # of user, process, network, mount, IPC, host name, cgroup

# The same on both: these are younger than the split.
_COMMON = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "clone3": 435, "pidfd_getfd": 438, "mount_setattr": 442,
}  # fmt: skip
_X86_64 = {
    "socket": 41, "connect": 42, "accept": 43, "sendto": 44, "bind": 49, "listen": 50,
    "socketpair": 53, "clone": 56, "fork": 57, "vfork": 58, "ptrace": 101, "pivot_root": 155,
    "chroot": 161, "mount": 165, "umount2": 166, "init_module": 175, "delete_module": 176,
    "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272,
    "accept4": 288, "perf_event_open": 298, "open_by_handle_at": 304, "setns": 308,
    "process_vm_readv": 310, "process_vm_writev": 311, "finit_module": 313,
    "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
}  # fmt: skip
_AARCH64 = {
    "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "unshare": 97, "kexec_load": 104,
    "init_module": 105, "delete_module": 106, "ptrace": 117, "socket": 198, "socketpair": 199,
    "bind": 200, "listen": 201, "accept": 202, "connect": 203, "sendto": 206, "add_key": 217,
    "request_key": 218, "keyctl": 219, "clone": 220, "perf_event_open": 241, "accept4": 242,
    "open_by_handle_at": 265, "setns": 268, "process_vm_readv": 270, "process_vm_writev": 271,
    "finit_module": 273, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
}  # fmt: skip
# As if the kernel were too old for them: those who call them then do it the plain way.
_UNKNOWN = ("io_uring_setup", "io_uring_enter", "io_uring_register", "clone3")
_NETWORK = frozenset(
    {"socket", "connect", "accept", "accept4", "bind", "listen", "socketpair", "sendto"}
)
_STARTING = frozenset({"clone", "fork", "vfork"})


@dataclass(frozen=True, slots=True)
class Machine:
    """What the kernel calls the processor, and the numbers of its calls."""

    architecture: int
    calls: dict[str, int]
    has_x32: bool = False


_MACHINES = {
    "x86_64": Machine(0xC000_003E, {**_COMMON, **_X86_64}, has_x32=True),
    "aarch64": Machine(0xC000_00B7, {**_COMMON, **_AARCH64}),
}


def this_machine() -> Machine | None:
    """Return the machine that we run on; None when there is no table for it."""
    is_64_bit = struct.calcsize("P") == struct.calcsize("Q")
    return _MACHINES.get(os.uname().machine) if is_64_bit else None


def write_filter(machine: Machine, *, may_connect: bool, may_start: bool) -> bytes:
    """Write the program. It may leave the network open, or let processes be started."""
    calls = machine.calls
    program = [
        _step(_LOAD, _ARCHITECTURE),
        *_unless(_EQUAL, machine.architecture, errno.EPERM),
        _step(_LOAD, _NUMBER),
    ]
    if machine.has_x32:
        program += _when(_AT_LEAST, _X32, errno.ENOSYS)
    for name in _UNKNOWN:
        program += _when(_EQUAL, calls[name], errno.ENOSYS)
    for name in _refused(calls, may_connect=may_connect, may_start=may_start):
        program += _when(_EQUAL, calls[name], errno.EPERM)
    program += _only(calls["clone"], _clone(may_start=may_start))
    if not may_connect:
        program += _only(calls["socketpair"], _socketpair())
        program += _only(calls["sendto"], _sendto())
    return b"".join([*program, _step(_RETURN, _ALLOW)])


def _refused(calls: dict[str, int], *, may_connect: bool, may_start: bool) -> list[str]:
    """Name the calls that are refused whatever their arguments are."""
    fine = {*_UNKNOWN, "clone", "socketpair", "sendto"}
    fine |= _NETWORK if may_connect else set()
    fine |= _STARTING if may_start else set()
    return sorted(calls.keys() - fine)


def _clone(*, may_start: bool) -> list[bytes]:
    """Threads are fine; processes perhaps; namespaces of their own are not."""
    checks = [_step(_LOAD, _argument(0)), *_when(_ANY_BIT, _NEW_NAMESPACES, errno.EPERM)]
    return checks if may_start else [*checks, *_unless(_ANY_BIT, _THREAD, errno.EPERM)]


def _socketpair() -> list[bytes]:
    """Only a pair that is connected for good: event loops wake themselves by one."""
    return [
        _step(_LOAD, _argument(0)),
        *_unless(_EQUAL, _UNIX, errno.EPERM),
        _step(_LOAD, _argument(1)),
        _step(_AND, _KIND),
        *_unless(_EQUAL, _STREAM, errno.EPERM),
    ]


def _sendto() -> list[bytes]:
    """No address: `send` is this call too."""
    halves = (_argument(4), _argument(4) + 4)
    return [s for half in halves for s in (_step(_LOAD, half), *_unless(_EQUAL, 0, errno.EPERM))]


def _argument(position: int) -> int:
    """Where the lower half of an argument stands; both machines are little-endian."""
    return _ARGUMENTS + 8 * position


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _when(test: int, value: int, number: int) -> list[bytes]:
    return [_step(test, value, 0, 1), _step(_RETURN, _REFUSE | number)]


def _unless(test: int, value: int, number: int) -> list[bytes]:
    return [_step(test, value, 1, 0), _step(_RETURN, _REFUSE | number)]


def _only(call: int, checks: list[bytes]) -> list[bytes]:
    """Make checks of one call; they may load what they like, since it ends here."""
    return [_step(_EQUAL, call, 0, len(checks) + 1), *checks, _step(_RETURN, _ALLOW)]
