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


def main() -> None:
    """Answer until standard input ends."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on every system

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    # Anything a converter prints must not get between the answers.
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        warnings.simplefilter("ignore")
        for line in sys.stdin:
            answers.write(json.dumps(converted(Path(os.fsdecode(bytes.fromhex(line.strip()))))) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
