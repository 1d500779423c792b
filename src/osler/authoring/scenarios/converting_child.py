"""The child process of `converting`: it reads one path per line and writes one JSON object per line.

A file may be crafted to exhaust memory or never to end, so conversion runs here, under limits, where nothing
else can be lost.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Final

from osler.authoring.scenarios.office import converted

MEMORY_BYTES: Final = 6 * 2**30
CPU_S: Final = 10.0
"""Seconds of processor time that any file may take, whatever its size; imports take 2 of the first one's."""

CPU_S_PER_MB: Final = 5.0


def main() -> None:
    """Answer until standard input ends."""
    _limit_memory()
    # Anything a converter prints must not get between the answers.
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        warnings.simplefilter("ignore")
        for line in sys.stdin:
            path = Path(os.fsdecode(bytes.fromhex(line.strip())))
            _limit_time(path)
            answers.write(json.dumps(converted(path)) + "\n")
            answers.flush()


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on every system

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _limit_time(path: Path) -> None:
    """Have the system end this process (SIGXCPU) when the file takes more processor time than it may."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on every system

        used = resource.getrusage(resource.RUSAGE_SELF)
        allowed = CPU_S + CPU_S_PER_MB * path.stat().st_size / 1e6
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + allowed) + 1, most))


if __name__ == "__main__":
    main()
