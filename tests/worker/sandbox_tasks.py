"""Handlers that try to get out of their sandbox; they say what they could do."""

import asyncio
import ctypes
import errno
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import leasehold as lh
from leasehold.sandbox.seccomp import this_machine

# Set before this module was imported, if they are set at all.
LIMITS_AT_IMPORT = {
    "memory": resource.getrlimit(resource.RLIMIT_AS)[0],
    "files": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
    "core": resource.getrlimit(resource.RLIMIT_CORE)[1],
}
_MACHINE = this_machine()


def _tried(step: Callable[[], object]) -> str:
    try:
        step()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, type(error).__name__)
    return "done"


def _connect(family: int, address: object, kind: int = socket.SOCK_STREAM) -> None:
    with socket.socket(family, kind) as made:
        made.settimeout(2)
        made.connect(address)  # type: ignore[arg-type]
        made.send(b"out")


def _datagram(path: str) -> None:
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with one, other:
        one.sendto(b"out", path)


def _pair() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(b"in")
        assert other.recv(9) == b"in"


def _call(name: str) -> None:
    assert _MACHINE is not None
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(_MACHINE.calls[name], 1, 0, 0, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def _from_a_program(port: int) -> None:
    code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, check=False)
    if done.returncode != 0:
        raise OSError(errno.EPERM, "the program failed")


def _unshare() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x1000_0000) != 0:
        raise OSError(ctypes.get_errno(), "refused")


def try_everything(port: int, folder: str) -> dict[str, str]:
    """Try each way out; the test knows which of them must be closed."""
    return {
        "tcp": _tried(lambda: _connect(socket.AF_INET, ("127.0.0.1", port))),
        "tcp6": _tried(lambda: _connect(socket.AF_INET6, ("::1", port))),
        "udp": _tried(lambda: _connect(socket.AF_INET, ("127.0.0.1", port), socket.SOCK_DGRAM)),
        "unix": _tried(lambda: _connect(socket.AF_UNIX, f"{folder}/stream")),
        "unix datagram": _tried(lambda: _datagram(f"{folder}/datagram")),
        "netlink": _tried(lambda: socket.socket(16, socket.SOCK_RAW).close()),
        "io_uring": _tried(lambda: _call("io_uring_setup")),
        "another's memory": _tried(lambda: _call("process_vm_readv")),
        "namespace": _tried(_unshare),
        "a program's tcp": _tried(lambda: _from_a_program(port)),
        "a program": _tried(lambda: subprocess.run(["true"], check=True)),
        "pair": _tried(_pair),
        "thread": _tried(lambda: threading.Thread(target=int).start()),
        "loop": _tried(lambda: asyncio.run(asyncio.sleep(0))),
    }


@lh.task(name="box.out", isolation="process", network=False, max_attempts=1)
def get_out(port: int, folder: str) -> dict[str, str]:
    return try_everything(port, folder)


@lh.task(name="box.open", isolation="process", max_attempts=1)
def stay_connected(port: int, folder: str) -> dict[str, str]:
    return try_everything(port, folder)


@lh.task(
    name="box.alone",
    isolation="process",
    max_attempts=1,
    limits=lh.Limits(processes=0, memory="800MB", open_files=32, file_size="1MB", cpu="20s"),
)
def stay_alone(port: int) -> dict[str, object]:
    return {
        "fork": _tried(lambda: os.waitpid(os.fork() or os._exit(0), 0)),
        "program": _tried(lambda: subprocess.run(["true"], check=True)),
        "thread": _tried(lambda: threading.Thread(target=int).start()),
        "tcp": _tried(lambda: _connect(socket.AF_INET, ("127.0.0.1", port))),
        "files": _tried(lambda: [os.dup(0) for _ in range(40)]),
        "limits": LIMITS_AT_IMPORT,
    }


@lh.task(
    name="box.hungry",
    isolation="process",
    network=False,
    max_attempts=3,
    limits=lh.Limits(memory="700MB", file_size="1MB", cpu="1s"),
    retry=lh.per_exception({lh.LimitExceeded: None}),
)
def be_hungry(for_what: str) -> int:
    held = []
    while for_what == "memory":
        held.append(bytes(10_000_000))  # never touched: else a slow machine's second is over first
    with tempfile.TemporaryFile() as file:
        while for_what == "disk":
            file.write(bytes(100_000))
    while for_what == "cpu":
        pass
    return len(held)


@lh.task(name="box.folder", isolation="process", max_attempts=1)
def use_folder(how: str) -> str:
    folder = Path(tempfile.gettempdir())
    (folder / "deep").mkdir()
    (folder / "deep" / "file").write_text("secret")
    (folder / "outside").symlink_to("/etc")
    if how == "crash":
        Path(os.environ["BOX_NOTE"]).write_text(str(folder))
        os._exit(9)
    return str(folder)


@lh.task(name="box.environment", isolation="process", network=False, max_attempts=1)
def show_environment() -> dict[str, str]:
    return dict(os.environ)


@lh.task(name="box.family", isolation="process", max_attempts=1)
def have_children(note: str) -> None:
    program = subprocess.Popen(["sleep", "1000"])
    Path(note + ".new").write_text(str(program.pid))
    Path(note + ".new").rename(note)
    program.wait()
