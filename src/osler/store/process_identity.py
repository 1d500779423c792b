"""The identity of this process, and whether another one on the same machine is still alive."""

from __future__ import annotations

import os
import socket
import sys
import uuid
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    """The identity of a process. `machine` is the scope in which `pid` is unique; "" if unknown.

    `started` distinguishes it from a later process that reuses the pid; "" if unknown.
    """

    host: str
    machine: str
    pid: int
    started: str


def this_process() -> Process:
    """The calling process."""
    pid = os.getpid()
    return Process(socket.gethostname(), _machine(), pid, _stat(pid)[1])


def is_gone(process: Process) -> bool:
    """Whether a process is known to have ended. One on another machine never is."""
    if not process.machine or process.machine != _machine():
        return False
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # another user's process, so it exists
        pass
    state, started = _stat(process.pid)
    return state in ("Z", "X") or (started != process.started and "" not in (started, process.started))


@lru_cache(maxsize=1)
def _machine() -> str:
    if sys.platform == "win32":
        return ""  # os.kill(pid, 0) would terminate the process there
    if sys.platform != "linux":
        return f"{socket.gethostname()}/{uuid.getnode():x}"
    try:
        # Containers may share a host name and even a boot id, but not a pid namespace.
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _stat(pid: int) -> tuple[str, str]:
    """(state, start in clock ticks since boot) from Linux's /proc; ("", "") if not available."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return words[0], words[19]
    except (OSError, IndexError):
        return "", ""
