"""A fake OpenAI-compatible endpoint to run tests and benchmarks against: fast, repeatable, faulty on demand.

    python -m osler.testing.endpoint --port 8099 --latency-ms 200 --faults plan.json --script answers.yaml

serves chat completions, Anthropic's messages (`anthropic_endpoint`), embeddings and the list of models under
`/v1`, its counts under `/stats`, and resets them on POST `/reset`. It plays every seat of a consultation by
itself (`endpoint_seats`), or follows a script; faults are drawn from a plan (`endpoint_plans`), and under
`/quirks/NAME/v1` it has the peculiarities of other servers (`quirks`). It listens on this machine only. The
first line on standard output is a JSON object with `port` and `base_url`.

It is not a model: its replies have no meaning.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from osler.errors import BadInput
from osler.testing.anthropic_endpoint import Anthropic
from osler.testing.endpoint_chat import Endpoint, Pace
from osler.testing.endpoint_http import Wire
from osler.testing.endpoint_plans import FaultPlan, Rule, plain, plan_of, rules_of
from osler.testing.endpoint_schema import Json
from osler.testing.quirks import Quirks

HOST: Final = "127.0.0.1"
_PATIENCE_S: Final = 30.0

PlanGiven = FaultPlan | Mapping[str, object] | Path | str | None
ScriptGiven = Sequence[Rule | Mapping[str, object]] | Path | str | None


class FakeEndpoint:
    """The endpoint in this process and event loop: `async with FakeEndpoint() as endpoint`.

    `latency_s` and `jitter_s` are in seconds; `faults` and `script` are files, plain values or records.
    Raises BadInput for an invalid plan or script.
    """

    def __init__(
        self,
        latency_s: float = 0.0,
        faults: PlanGiven = None,
        script: ScriptGiven = None,
        *,
        jitter_s: float = 0.0,
        port: int = 0,
    ) -> None:
        self._endpoint = Endpoint(Pace(latency_s, jitter_s), plan_of(faults), rules_of(script))
        self._wire = Wire(Anthropic(Quirks(self._endpoint.handle).handle).handle, self._endpoint.traffic)
        self._wanted_port = port

    async def __aenter__(self) -> Self:
        try:
            await self._wire.start(HOST, self._wanted_port)
        except (OSError, OverflowError) as error:
            raise BadInput(
                f"port {self._wanted_port} cannot be used: {error}", hint="0 picks a free one"
            ) from None
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._wire.stop()

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._wire.port

    @property
    def base_url(self) -> str:
        """The base URL for an OpenAI client."""
        return f"http://{HOST}:{self.port}/v1"

    @property
    def stats(self) -> dict[str, Json]:
        """The counts shown at `/stats`."""
        return self._endpoint.shown()

    def reset(self) -> None:
        """Forget every count, every attempt and every prompt."""
        self._endpoint.reset()


@contextlib.contextmanager
def running(
    port: int = 0,
    *,
    latency_ms: float = 0.0,
    jitter_ms: float = 0.0,
    faults: PlanGiven = None,
    script: ScriptGiven = None,
) -> Iterator[str]:
    """Context manager that runs the endpoint in its own process, yields its base URL, and always stops it.

    Raises BadInput if it does not start.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "osler.testing.endpoint", "--with-parent", f"--port={port}"]
        command += [f"--latency-ms={latency_ms}", f"--latency-jitter-ms={jitter_ms}"]
        if (plan := plan_of(faults)) is not None:
            command.append(f"--faults={_written(Path(folder, 'faults.json'), plain(plan))}")
        if rules := rules_of(script):
            command.append(
                f"--script={_written(Path(folder, 'script.json'), [plain(rule) for rule in rules])}"
            )
        # It runs our own interpreter and module; the arguments are numbers and files we wrote.
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
        with process:
            try:
                yield _announced(process)
            finally:
                process.kill()


def _written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def _announced(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    watch = threading.Timer(_PATIENCE_S, process.kill)
    watch.start()
    try:
        line = process.stdout.readline()
    finally:
        watch.cancel()
    if not line:
        raise BadInput("the fake endpoint did not start", hint="see its output above")
    url: str = json.loads(line)["base_url"]
    return url


async def serve(endpoint: FakeEndpoint, *, with_parent: bool = False) -> None:
    """Serve until cancelled; `with_parent`, until standard input closes, as it does when the parent dies."""
    async with endpoint:
        print(json.dumps({"port": endpoint.port, "base_url": endpoint.base_url}), flush=True)
        over = asyncio.Event()
        if with_parent:
            loop = asyncio.get_running_loop()
            threading.Thread(target=_until_orphaned, args=(loop, over), daemon=True).start()
        await over.wait()


def _until_orphaned(loop: asyncio.AbstractEventLoop, over: asyncio.Event) -> None:
    while os.read(sys.stdin.fileno(), 4096):  # not through `sys.stdin`, whose lock would delay the exit
        pass
    with contextlib.suppress(RuntimeError):  # the loop may have closed first
        loop.call_soon_threadsafe(over.set)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command-line entry point. Returns the exit code: 1 for an invalid plan, script or port."""
    parser = argparse.ArgumentParser(
        prog="python -m osler.testing.endpoint", description=__doc__.split("\n")[0]
    )
    parser.add_argument(
        "--port", type=int, default=0, help="the port to listen on; 0 (the default) picks a free one"
    )
    parser.add_argument("--latency-ms", type=float, default=0.0, help="latency of every answer")
    parser.add_argument(
        "--latency-jitter-ms", type=float, default=0.0, help="random variation of the latency, plus or minus"
    )
    parser.add_argument("--faults", type=Path, help="a fault plan, JSON or YAML")
    parser.add_argument("--script", type=Path, help="a script of answer rules, JSON or YAML")
    parser.add_argument("--with-parent", action="store_true", help="stop when standard input closes")
    args = parser.parse_args(arguments)
    try:
        endpoint = FakeEndpoint(
            args.latency_ms / 1000,
            args.faults,
            args.script,
            jitter_s=args.latency_jitter_ms / 1000,
            port=args.port,
        )
        asyncio.run(serve(endpoint, with_parent=args.with_parent))
    except BadInput as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
