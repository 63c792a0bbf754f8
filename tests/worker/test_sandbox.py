"""Isolated tasks stay within their limits and off the network, whatever they try."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.examining import examine
from leasehold.model.states import State
from leasehold.sandbox import confining
from leasehold.sandbox.confining import Means
from leasehold.sandbox.limits import Confinement
from leasehold.sandbox.seccomp import _MACHINES, write_filter
from leasehold.worker import children
from tests.safety.strangers.servers import Server, answer, saying
from tests.worker.kit import drain, new_worker, wait_for_file, wait_for_state, wait_until
from tests.worker.sandbox_tasks import (
    be_hungry,
    get_out,
    have_children,
    show_environment,
    stay_alone,
    stay_connected,
    use_folder,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
_ROOT = Path(__file__).parents[2]
_WAYS_OUT = ("tcp", "tcp6", "udp", "unix", "unix datagram", "netlink", "a program's tcp")
_FINE = ("a program", "pair", "thread", "loop")


@pytest.fixture
def client(sqlite_url: str) -> Iterator[lh.Client]:
    """One store is enough: what is tried here happens in a child, which knows none."""
    with lh.Client(sqlite_url) as opened:
        opened.store.migrate()
        yield opened


@pytest.fixture
def canary() -> Iterator[Server]:
    host = "::" if socket.has_dualstack_ipv6() else "127.0.0.1"
    with Server(saying(answer(b"reached")), host=host) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[str]:
    """Unix sockets that listen in the file system, as databases and daemons do."""
    with socket.socket(socket.AF_UNIX) as stream:
        stream.bind(str(tmp_path / "stream"))
        stream.listen()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagram:
            datagram.bind(str(tmp_path / "datagram"))
            yield str(tmp_path)


def run_one(client: lh.Client, task: lh.Task[..., Any], *args: Any) -> lh.Job:
    job_id = client.enqueue(task, *args).id
    drain(client, task)
    return client.get(job_id)


def test_a_task_without_network_reaches_nothing(
    client: lh.Client, canary: Server, folder: str
) -> None:
    could = run_one(client, get_out, canary.port, folder).result
    assert all(could[way] != "done" for way in (*_WAYS_OUT, "another's memory", "namespace")), could
    assert could["io_uring"] == "ENOSYS"
    assert [could[way] for way in _FINE] == ["done"] * 4
    assert canary.connections == 0


def test_a_task_that_does_not_ask_for_it_keeps_its_network(
    client: lh.Client, canary: Server, folder: str
) -> None:
    could = run_one(client, stay_connected, canary.port, folder).result
    assert [could[way] for way in ("tcp", "unix", "unix datagram", *_FINE)] == ["done"] * 7


@pytest.mark.parametrize(
    ("kept", "closed"),
    [
        ("_filter_calls", _WAYS_OUT),
        # A socket in the file system is no part of a network: only the filter keeps it from that.
        ("_leave_network", ("tcp", "tcp6", "udp", "a program's tcp")),
    ],
)
@pytest.mark.parametrize("user", ["root", "other"])
def test_each_means_alone_closes_the_network_for_root_and_for_others(
    kept: str, closed: tuple[str, ...], user: str, canary: Server, folder: str
) -> None:
    if user == "root" and os.geteuid() != 0:
        pytest.skip("only root can try how root fares")
    said = _confined_as(user, kept, canary.port, folder)
    assert said["means"] == {"_filter_calls": [False, True], "_leave_network": [True, False]}[kept]
    assert all(said["could"][way] != "done" for way in closed), said
    assert [said["could"][way] for way in _FINE] == ["done"] * 4
    assert canary.connections == 0


def _confined_as(user: str, kept: str, port: int, folder: str) -> Any:
    """Confine a process of that user by one means only, and try to get out of it."""
    other = ({"_filter_calls", "_leave_network"} - {kept}).pop()
    return _run_as(
        user,
        f"""
def refuse(*_):
    raise OSError(1, "not here")
confining.{other} = refuse
means = confining.apply_means(Confinement(network=False))
could = try_everything({port}, {folder!r})
print(json.dumps(dict(means=[means.namespace, means.seccomp], could=could)))
""",
    )


def _run_as(user: str, code: str) -> Any:
    """Run it in a process of that user, and return what it prints.

    Users other than root are of a number that nobody else here has: what others start is counted.
    """
    number = 70_000 + os.getpid()
    head = f"""
import ctypes, json, os, encodings.idna
from leasehold.sandbox import confining
from leasehold.sandbox.limits import Confinement
from tests.worker.sandbox_tasks import try_everything
import resource, signal
if {user!r} != "root" and os.geteuid() == 0:
    os.setgroups([]), os.setgid({number}), os.setuid({number})
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as after the start of a program: its /proc is its own
"""
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", head + code], env=os.environ | path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_limits_stand_before_the_tasks_module_is_imported(
    client: lh.Client, canary: Server
) -> None:
    could = run_one(client, stay_alone, canary.port).result
    assert could["limits"] == {"memory": 800 * 2**20, "files": 32, "core": 0}
    assert (could["fork"], could["program"], could["files"]) == ("EPERM", "EPERM", "EMFILE")
    assert (could["thread"], could["tcp"]) == ("done", "done")


@pytest.mark.parametrize(
    ("for_what", "error"),
    [
        ("memory", "MemoryLimit: over its memory limit of 734,003,200 bytes"),
        ("disk", "FileSizeLimit: a file over its limit of 1,048,576 bytes"),
        ("cpu", "CpuLimit: over its CPU limit of 1 seconds"),
    ],
)
def test_a_job_at_its_limit_fails_clearly_and_the_worker_lives(
    for_what: str, error: str, client: lh.Client
) -> None:
    """Its policy, which knows the limits by their class, gives up at once."""
    hungry, modest = (client.enqueue(be_hungry, each).id for each in (for_what, "nothing"))
    drain(client, be_hungry, slots=1)
    ended = client.get(hungry)
    assert (ended.state, ended.error, ended.attempt) == (State.DEAD, error, 1)
    assert client.get(modest).state is State.SUCCEEDED


@pytest.mark.parametrize("network", [True, False])
def test_so_many_processes_and_no_more_for_others_than_root(network: bool) -> None:  # noqa: FBT001
    """Without a user namespace all of the user's are counted, and it may start as many more."""
    started = _run_as(
        "other",
        f"""
confining.confine(Confinement(network={network}, processes=6))
import signal, time
started = []
try:
    for _ in range(20):
        pid = os.fork()
        if pid == 0:
            signal.pause()
        started.append(pid)
except BlockingIOError:
    pass
for pid in started:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
print(json.dumps(len(started)))
""",
    )
    assert 1 <= started <= 7


def test_temporary_files_are_the_attempts_own_and_gone_afterwards(
    client: lh.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "note"
    monkeypatch.setenv("BOX_NOTE", str(note))
    folders = {run_one(client, use_folder, "plain").result for _ in range(2)}
    run_one(client, use_folder, "crash")
    folders.add(note.read_text())
    assert len(folders) == 3
    assert not any(Path(each).exists() for each in folders)
    assert Path("/etc").exists()


def test_an_attempt_finds_nothing_of_the_one_before_it_in_its_child(client: lh.Client) -> None:
    placed = [client.enqueue(use_folder, "plain") for _ in range(2)]
    lh.Worker(client, [use_folder], slots=1).run(until_empty=True)
    jobs = [client.get(each.id) for each in placed]
    assert [job.state for job in jobs] == [
        State.SUCCEEDED
    ] * 2  # it fails where it finds what it makes
    folders = {job.result for job in jobs}
    assert len(folders) == 2
    assert not any(Path(each).exists() for each in folders)


def test_a_folder_in_which_nothing_was_left_is_used_again_and_gone_with_its_child() -> None:
    folder = children.OwnFolder()
    path = Path(folder.open())
    folder.tidy()
    assert folder.open() == str(path)
    path.rmdir()  # as a handler may
    folder.tidy()
    fresh = Path(folder.open())
    assert fresh.is_dir()
    folder.remove()
    folder.remove()
    assert not fresh.exists()


def test_secrets_of_the_environment_stay_outside(
    client: lh.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "LEASEHOLD_URL",
        "PGPASSWORD",
        "DATABASE_URL",
        "AWS_SECRET_ACCESS_KEY",
        "API_TOKEN",
    ):
        monkeypatch.setenv(name, "s3cret")
    monkeypatch.setenv("TESSDATA_PREFIX", "/data")
    seen = run_one(client, show_environment).result
    assert "s3cret" not in seen.values()
    assert seen["TESSDATA_PREFIX"] == "/data"


def test_what_a_child_has_started_ends_with_it(client: lh.Client, tmp_path: Path) -> None:
    note = tmp_path / "note"
    job_id = client.enqueue(have_children, str(note)).id
    with new_worker(client, [have_children]):
        wait_for_file(str(note))
        client.cancel(job_id)
        wait_for_state(client, job_id, State.CANCELLED)
    started = int(note.read_text())
    wait_until(lambda: not _is_running(started), "the program has ended")


def _is_running(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


NOTHING = Means(namespace=False, seccomp=False, reason="not allowed here")


def test_a_worker_that_can_not_keep_a_task_off_the_network_refuses_it(
    client: lh.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = client.enqueue(get_out, 1, "").id
    monkeypatch.setattr(children, "probe", lambda: NOTHING)
    with pytest.raises(lh.NoSandbox, match=r"box.out: network=False needs .* not allowed here"):
        drain(client, get_out)
    with pytest.raises(lh.NoSandbox, match="processes=0 needs seccomp"):
        drain(client, stay_alone)
    assert client.get(job_id).state is State.QUEUED
    drain(client, stay_connected)


def test_a_child_that_can_not_bound_itself_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confining, "apply_means", lambda _: NOTHING)
    for to in (Confinement(network=False), Confinement(processes=0)):
        with pytest.raises(confining.NotConfined, match="not allowed here"):
            confining.confine(to)


def test_a_machine_without_a_table_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confining, "this_machine", lambda: None)
    with pytest.raises(OSError, match="no filter for"):
        confining._filter_calls(Confinement(network=False))


def test_elsewhere_than_on_linux_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    means = confining.apply_means(Confinement(network=False))
    assert means.why_not(Confinement(network=False)) is not None
    assert "darwin" in means.reason


@pytest.mark.parametrize("machine", _MACHINES)
def test_the_filters_program_is_whole_on_each_machine(machine: str) -> None:
    """The kernel takes at most 4,096 steps of 8 bytes, and every jump lands inside."""
    for may_connect in (True, False):
        program = write_filter(_MACHINES[machine], may_connect=may_connect, may_start=False)
        steps = [program[at : at + 8] for at in range(0, len(program), 8)]
        assert len(program) == 8 * len(steps) < 8 * 4_096
        for at, step in enumerate(steps):
            assert step[0] not in {0x15, 0x35, 0x45} or at + max(step[2], step[3]) + 1 < len(steps)


def test_the_doctor_says_what_there_is(client: lh.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {each.topic: each for each in examine(client)}["sandbox"]
    assert (found.level, "network namespace" in found.message) == ("ok", True)
    monkeypatch.setattr("leasehold.examining.probe", lambda: NOTHING)
    found = {each.topic: each for each in examine(client)}["sandbox"]
    assert (found.level, "not allowed here" in found.message) == ("warning", True)
