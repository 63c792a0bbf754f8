"""Ends a test server whose owner died without stopping it, and removes its folder.

Run as a script: ``postgres_watchdog.py OWNER_PID FOLDER``. The owner holds the other end of stdin,
and writes one line to it when it has cleaned up itself.
"""

import os
import select
import shutil
import signal
import sys
import time
from pathlib import Path

OWNER_CHECK_SECONDS = 0.5
PID_FILE_SECONDS = 2.0
SHUTDOWN_SECONDS = 5.0


def main() -> None:
    owner, folder = int(sys.argv[1]), Path(sys.argv[2])
    if not wait_for_owner(owner):
        end_postmaster(folder / "data")
        shutil.rmtree(folder, ignore_errors=True)


def wait_for_owner(owner: int) -> bool:
    """Return True when the owner said that it cleaned up, False when it is gone."""
    while os.getppid() == owner:
        # A process forked by the owner may hold the pipe open after it: hence the look at the pid.
        readable, _, _ = select.select([sys.stdin], [], [], OWNER_CHECK_SECONDS)
        if readable:
            return sys.stdin.readline() != ""
    return False


def end_postmaster(data: Path) -> None:
    postmaster = find_postmaster(data)
    if postmaster is None:
        return
    for number in (signal.SIGQUIT, signal.SIGKILL):
        try:
            os.kill(postmaster, number)
        except ProcessLookupError:
            return
        if wait_until_gone(postmaster):
            return


def find_postmaster(data: Path) -> int | None:
    """Read the pid, waiting a little: the owner may have died just after starting the server."""
    give_up = time.monotonic() + PID_FILE_SECONDS
    while time.monotonic() < give_up:
        try:
            pid = int((data / "postmaster.pid").read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            time.sleep(0.05)
        else:
            return pid if works_in(pid, data) else None
    return None


def works_in(pid: int, data: Path) -> bool:
    """Guard against a stranger with a crashed server's pid, where the system can tell."""
    if not Path("/proc/self").exists():
        return True
    try:
        return Path(f"/proc/{pid}/cwd").readlink() == data
    except OSError:
        return False


def wait_until_gone(pid: int) -> bool:
    give_up = time.monotonic() + SHUTDOWN_SECONDS
    while time.monotonic() < give_up:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


if __name__ == "__main__":
    main()
