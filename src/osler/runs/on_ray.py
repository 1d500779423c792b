"""Ray as a launcher: it places workers on the machines of a cluster and starts them again where one dies.

Nothing of a run goes through Ray: each of its tasks is `osler worker RUN`, and what is played, by whom, and
whatever was answered stands in the store. https://docs.ray.io
"""

from __future__ import annotations

import atexit
import os
import secrets
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from osler.errors import BadInput, InfrastructureFault, install_line
from osler.runs.batch import Progress
from osler.runs.run import Session
from osler.runs.worker_process import WorkerEnd, play_here
from osler.runs.workers import play_by_workers
from osler.store.records import RunInfo
from osler.store.store import Store

ADDRESS: Final = "RAY_ADDRESS"
_LOCAL: Final = "local"
_ANSWERS_S: Final = 10.0
_OBJECTS_BYTES: Final = 100_000_000  # little more than Ray's least: results are a line each


def check_ray(where: str) -> None:
    """Raise BadInput if Ray is not installed, or the cluster of RAY_ADDRESS is none or does not answer."""
    if find_spec("ray") is None:
        raise BadInput("Ray is not installed", where=where, hint=install_line("ray"))
    address = os.environ.get(ADDRESS) or _LOCAL
    if address in (_LOCAL, "auto"):
        return
    host, _, port = address.rpartition(":")
    if "/" in address or not (host and port.isdecimal()):
        hint = "write HOST:PORT of its head, as ray start says it, or auto"
        raise BadInput("this is no address of a Ray cluster", where=f"{ADDRESS}={address}", hint=hint)
    try:  # Ray itself tries for minutes
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWERS_S).close()
    except (OSError, OverflowError) as error:
        raise BadInput(
            f"no Ray cluster answers ({error})",
            where=f"{ADDRESS}={address}",
            hint=f"see that it runs; {ADDRESS}={_LOCAL} starts one of its own on this machine",
        ) from None


def play_on_ray(
    run: RunInfo,
    store: Store,
    workers: int,
    url: str,
    *,
    concurrency: int = 16,
    options: Sequence[str] = (),
    on_progress: Callable[[Progress], None] = lambda progress: None,
    tell: Callable[[str], None] = lambda words: None,
) -> Session:
    """Play the remaining episodes of a run in so many of Ray's tasks, a CPU for each, as `play_by_workers`
    does on this machine. `url` is the store's address, which all machines must reach; it goes to the tasks
    alone, since it may hold a password. `tell` says where Ray's dashboard is.

    The cluster is that of RAY_ADDRESS, else one of its own on this machine until this process ends.
    Raises InfrastructureFault if it does not answer.
    """
    ray, dashboard = _connected(workers)
    if dashboard:
        tell(f"Ray's dashboard: {dashboard}")
    task = ray.remote(play_here).options(max_retries=-1, num_cpus=1, name=f"osler worker {run.name}")
    return play_by_workers(
        run,
        store,
        workers,
        concurrency=concurrency,
        options=options,
        on_progress=on_progress,
        start=lambda words: _Task(ray, task.remote(list(words), url, str(Path.cwd()))),
    )


class _Task:
    """A worker in one of Ray's tasks."""

    def __init__(self, ray: Any, task: Any) -> None:
        self._ray, self._task = ray, task

    def ended(self) -> WorkerEnd | None:
        """Its end, if it has ended. Ray itself starts a task again whose process or machine died."""
        if not self._ray.wait([self._task], timeout=0)[0]:
            return None
        try:
            return WorkerEnd(*self._ray.get(self._task))
        except self._ray.exceptions.TaskCancelledError:
            return WorkerEnd(0, {})
        except self._ray.exceptions.RayError as error:
            why = (str(error).strip() or type(error).__name__).splitlines()[-1]
            return WorkerEnd(1, {"why": f"Ray could not play: {why}"})

    def stop(self) -> None:
        self._ray.cancel(self._task, force=False)

    def kill(self) -> None:
        self._ray.cancel(self._task, force=True)


@cache
def _connected(workers: int) -> tuple[Any, str]:
    """Connect this process to a cluster until it ends, since a study plays many runs: the module `ray`, and
    the address of its dashboard ("" without one)."""
    address = os.environ.get(ADDRESS) or _LOCAL
    wanted: dict[str, Any] = {"address": address}
    settings = {"RAY_USAGE_STATS_ENABLED": "0"}  # nothing is reported to Ray's makers
    with ExitStack() as held:
        if address == _LOCAL:
            wanted |= {"num_cpus": workers, "object_store_memory": _OBJECTS_BYTES}
            wanted |= {"_temp_dir": held.enter_context(TemporaryDirectory(prefix="osler-ray-"))}
            # Nobody but this machine reaches it, and no page is served.
            wanted |= {"_node_ip_address": "127.0.0.1", "include_dashboard": False}
            if "RAY_AUTH_MODE" not in os.environ:  # else Ray would write a token into the home folder
                settings |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        os.environ.update(settings)  # read when Ray is imported
        import ray  # noqa: PLC0415 - seldom installed, and slow

        held.callback(ray.shutdown)
        try:
            with _stopped_later():
                context = ray.init(**wanted, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise InfrastructureFault(
                f"Ray cannot be had: {(str(error).strip() or type(error).__name__).splitlines()[0]}",
                where=f"{ADDRESS}={address}",
                hint=f"see that it runs; {ADDRESS}={_LOCAL} starts one of its own on this machine",
            ) from error
        atexit.register(held.pop_all().close)
        return ray, str(context.dashboard_url or "")


@contextmanager
def _stopped_later() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back until the block has ended: Ray's core crashes at the end of a process that
    was interrupted while it connected, and Ray puts a handler of its own in the place of ours. A second one
    stops the block all the same."""
    stopped = list[int]()

    def stop(number: int, _: object) -> None:
        if stopped:
            raise KeyboardInterrupt
        stopped.append(number)

    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    for one, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(one, stop)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    if stopped:
        raise KeyboardInterrupt
