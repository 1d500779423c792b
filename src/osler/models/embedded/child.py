"""The process that serves one file of weights: `python -m osler.models.embedded.child`.

Its settings are a line of JSON on standard input; when the server is up, its address is a line on standard
output. Loading keeps Python's lock for as long as it takes, and a server that is answering cannot be closed;
so this is a process, which is ended as it is. It ends by itself when standard input closes, as it does when
Osler is gone, however it went: the kernel sends a signal then, which needs no thread of ours to run.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import sys
from typing import Any, Final

_CACHE_MIB: Final = 2048
"""Memory for prompts that were read before: seats take turns, and each goes on where it was."""


def main() -> None:
    """Serve until standard input closes."""
    value: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    _end_with_parent()
    import xllamacpp  # noqa: PLC0415 - an extra, and slow to import

    asked = xllamacpp.CommonParams()
    asked.model.path, asked.model_alias = value["path"], {value["model"]}
    asked.hostnames, asked.port, asked.api_keys = ["127.0.0.1"], 0, [value["key"]]
    asked.cpuparams.n_threads = asked.cpuparams_batch.n_threads = value["threads"]
    asked.n_ctx, asked.n_parallel = value["context"] * value["parallel"], value["parallel"]
    asked.cache_ram_mib = _CACHE_MIB
    asked.verbosity, asked.ui, asked.endpoint_slots, asked.cors_origins = 1, False, False, ""
    server = xllamacpp.Server(asked)
    print(server.listening_address, flush=True)
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(0)


def _end_with_parent() -> None:
    pipe = sys.stdin.fileno()
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([pipe], [], [], 0)[0]:  # it closed before that
        os._exit(0)


if __name__ == "__main__":
    main()
