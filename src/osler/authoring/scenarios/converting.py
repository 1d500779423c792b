"""Converting files to Markdown: plain text in this process, others in a child that is killed on timeout."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from osler.authoring.scenarios.office import NEED_EXTRA, converted
from osler.errors import BadInput, install_line

TIME_S: Final = 120.0
VERSION: Final = "2"
_OUT_OF_TIME: Final = -getattr(signal, "SIGXCPU", 0)
_CHILD: Final = "osler.authoring.scenarios.converting_child"


class Converted(NamedTuple):
    """A file's Markdown, or the reason why there is none."""

    text: str = ""
    reason: str = ""


def converter_version() -> str:
    """A version over everything that determines how a file is converted."""
    try:
        return f"{VERSION} markitdown {version('markitdown')}"
    except PackageNotFoundError:
        return VERSION


def check_extra(paths: Sequence[Path]) -> None:
    """Raise BadInput if a file needs the `authoring` extra and it is not installed."""
    needs = [path for path in paths if path.suffix.lower() in NEED_EXTRA]
    if needs and importlib.util.find_spec("markitdown") is None:
        raise BadInput(
            f"reading {needs[0].suffix} files needs an extra that is not installed",
            where=needs[0].name.encode("utf-8", "replace").decode(),
            hint=install_line("authoring"),
        )


def convert(paths: Sequence[Path], time_s: float = TIME_S) -> Iterator[Converted]:
    """Convert each file in order. Raises BadInput where the extra is missing."""
    check_extra(paths)
    with _Child(time_s) as child:
        for path in paths:
            heavy = path.suffix.lower() in NEED_EXTRA
            yield child.converted(path) if heavy else Converted(**converted(path))


class _Child:
    """The child process, started on first use."""

    def __init__(self, time_s: float) -> None:
        self._time_s = time_s
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def converted(self, path: Path) -> Converted:
        """Convert one file; a child that dies or takes too long is replaced."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        watch = threading.Timer(self._time_s, stop)
        watch.start()
        try:
            process.stdin.write(bytes(path.resolve()).hex() + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            watch.cancel()
        if not line:
            ended = process.wait()
            self._stop()
            too_long = late.is_set() or ended == _OUT_OF_TIME
            return Converted(reason="took too long to convert" if too_long else "broke its converter")
        return Converted(**json.loads(line))

    def _start(self) -> subprocess.Popen[str]:
        # It runs our own interpreter and module; paths go in as text, never into a shell.
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        return self._process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            with self._process:
                pass
            self._process = None
