"""How a child process bounds itself, before it imports anything of a task."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leasehold.sandbox import kernel
from leasehold.sandbox.seccomp import this_machine, write_filter

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.sandbox.limits import Confinement

_NEW_USER, _NEW_NETWORK, _NEW_IPC = 0x1000_0000, 0x4000_0000, 0x0800_0000
# Of root's: to own, read and write files as before. Not to trace, mount, route or load.
_FILE_CAPABILITIES = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4
_SPARE_BYTES = 32 * 2**20  # to say what happened, when all that is allowed is used up


class NotConfined(Exception):
    """A child could not bound itself as it was asked to, and must not run anything."""


@dataclass(frozen=True, slots=True)
class Means:
    """What can bound a process here, beside its resource limits."""

    namespace: bool  # a network of its own, with nothing in it
    seccomp: bool  # a filter of its system calls
    reason: str = ""  # why something is missing

    def why_not(self, to: Confinement) -> str | None:
        """Say why a process can't be bounded like that; None when it can."""
        if to.processes == 0 and not self.seccomp:
            return f"processes=0 needs seccomp: {self.reason}"
        if not to.network and not (self.namespace or self.seccomp):
            return f"network=False needs a network namespace or seccomp: {self.reason}"
        return None


def confine(to: Confinement) -> None:
    """Bound this process, which must have one thread only; `NotConfined` when that can't be."""
    means = apply_means(to)
    reason = means.why_not(to)
    if reason is not None:
        raise NotConfined(reason)
    # In a user namespace only its own processes are counted.
    others = 0 if means.namespace and os.geteuid() != 0 else _count_tasks(to.processes)
    _set_limits(to, others)


def apply_means(to: Confinement) -> Means:
    """Take away what it must not have, by all means that there are."""
    if to.network and to.processes != 0:
        return Means(namespace=False, seccomp=False)
    if sys.platform != "linux":
        return Means(namespace=False, seccomp=False, reason=f"not available on {sys.platform}")
    missing: list[str] = []
    namespace = not to.network and _tried(_leave_network, missing)
    seccomp = _tried(lambda: _filter_calls(to), missing)
    return Means(namespace=namespace, seccomp=seccomp, reason="; ".join(missing))


def spare_memory() -> None:
    """Let there be a little more memory than the limit, to say that it was reached."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def limit_cpu(seconds: float | None) -> None:
    """Allow so many seconds more; the kernel counts from the process's start."""
    import resource

    if seconds is None:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed = int(used.ru_utime + used.ru_stime + seconds) + 1
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (_at_most(allowed, most), most))


def _tried(step: Callable[[], None], missing: list[str]) -> bool:
    try:
        step()
    except OSError as error:
        missing.append(error.strerror or str(error))
        return False
    return True


def _leave_network() -> None:
    """Go into a network of its own, with nothing in it."""
    if os.geteuid() == 0:
        # As he is: in a user namespace root would lose his rights to the files of others.
        try:
            kernel.unshare(_NEW_NETWORK | _NEW_IPC)
        except OSError:
            pass
        else:
            kernel.keep_capabilities(_FILE_CAPABILITIES)
            return
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(_NEW_USER | _NEW_NETWORK | _NEW_IPC)
    Path("/proc/self/setgroups").write_bytes(b"deny")
    Path("/proc/self/uid_map").write_bytes(f"{user} {user} 1".encode())
    Path("/proc/self/gid_map").write_bytes(f"{group} {group} 1".encode())
    kernel.keep_capabilities(0)


def _filter_calls(to: Confinement) -> None:
    machine = this_machine()
    if machine is None:
        raise OSError(f"no filter for {os.uname().machine}")
    kernel.renounce_privileges()
    kernel.set_filter(write_filter(machine, may_connect=to.network, may_start=to.processes != 0))


def _count_tasks(processes: int | None) -> int:
    """Count the threads of this user, where they are counted together with ours."""
    if not processes or sys.platform != "linux":
        return 0
    mine = os.getuid()
    return sum(_threads_of(each, mine) for each in Path("/proc").glob("[0-9]*"))


def _threads_of(process: Path, user: int) -> int:
    try:
        return len(list((process / "task").iterdir())) if process.stat().st_uid == user else 0
    except OSError:
        return 0  # it has ended meanwhile


def _set_limits(to: Confinement, other_tasks: int) -> None:
    import resource

    wanted = {
        resource.RLIMIT_CORE: 0,  # what a crash would write down may be secret, and is large
        resource.RLIMIT_FSIZE: to.file_bytes,
        resource.RLIMIT_NOFILE: to.open_files,
        # Zero is the filter's to keep. One more, for the thread that watches the worker.
        resource.RLIMIT_NPROC: other_tasks + to.processes + 1 if to.processes else None,
    }
    for which, limit in wanted.items():
        if limit is not None:
            _, most = resource.getrlimit(which)
            resource.setrlimit(which, (_at_most(limit, most),) * 2)
    if to.memory_bytes is not None:
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        hard = _at_most(to.memory_bytes + _SPARE_BYTES, most)
        resource.setrlimit(resource.RLIMIT_AS, (_at_most(to.memory_bytes, hard), hard))


def _at_most(wanted: int, most: int) -> int:
    """Only root may raise a hard limit, and -1 stands for none."""
    return wanted if most < 0 else min(wanted, most)
