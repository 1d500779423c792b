"""Processes of a pool end with the one that began them, even if that is killed."""

from __future__ import annotations

import subprocess
import sys
import time

from osler.store.leases import is_gone, this_process

POOL = """
import os, sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from osler.store.child_process import end_with_parent
pool = ProcessPoolExecutor(1, get_context("spawn"), end_with_parent)
print(pool.submit(os.getpid).result(), flush=True)
sys.stdin.read()
"""


def test_a_child_ends_when_its_parent_is_killed() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", POOL], stdin=pipe, stdout=pipe) as parent:
        assert parent.stdout
        child = this_process()._replace(pid=int(parent.stdout.readline()), started="")
        assert not is_gone(child)
        parent.kill()
    until = time.monotonic() + 60
    while not is_gone(child) and time.monotonic() < until:
        time.sleep(0.05)
    assert is_gone(child)
