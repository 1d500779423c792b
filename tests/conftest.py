"""The network is closed: tests reach this machine only, and a name that is not ours is not found.

The garbage collector takes no more of a test's time than it must.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# A loaded machine is slow; that is no fault of a rule. `fast` tries the same examples each time, so that a
# change is blamed for what it broke; `thorough` tries new ones. A test that sets its own number says why.
LOADED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fast", LOADED, max_examples=25, derandomize=True)
settings.register_profile("thorough", LOADED, max_examples=300, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

# Collecting the tests makes millions of objects that live on. To go through them again and again took a fifth
# of all time, so the collector rests until they are there, and then leaves them alone.
gc.disable()
SELDOM = (20_000, 10, 10)

# What a shell starts in the background ignores Ctrl-C, and so would the processes that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Let the garbage collector begin, with what the tests themselves leave."""
    gc.freeze()
    gc.set_threshold(*SELDOM)
    gc.enable()


UNREACHABLE = "out of reach"
"""The beginning of the reason of a skip where something can be had from outside alone, and nothing is."""


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A smoke of which nothing ran is red: what it needs could not be had, and nobody would notice. Where the
    package index itself cannot be reached, it is said, and green."""
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")  # xdist's workers have none
    if session.config.option.markexpr != "smoke" or not reporter or reporter.stats.get("passed"):
        return
    reasons = [one.longrepr[2] for one in reporter.stats.get("skipped", ())]
    if reasons and all(reason.startswith(f"Skipped: {UNREACHABLE}") for reason in reasons):
        reporter.write_line(f"\nNOTHING RAN: {reasons[0].removeprefix('Skipped: ')}", yellow=True)
    else:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Any]:
    """An empty store in a file of its own."""
    from osler.store.store import open_store  # noqa: PLC0415 - few tests want one, and it takes long to import

    with open_store(tmp_path / "osler.db") as opened:
        yield opened


HERE = Path(__file__).parent
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@pytest.fixture(autouse=True)
def network_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection and every look-up that leaves the machine."""
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> None:  # an address is of any family's shape
        if isinstance(address, tuple) and address[0] not in LOOPBACK:
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    def guarded_look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host not in (*LOOPBACK, None):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
