"""The settings of an endpoint that is a file of weights, and what follows from them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

ADDRESS: Final = "http://127.0.0.1/v1"
"""The address of every such endpoint; its port is known when its server is up."""
CONTEXT: Final = 8192
TIMEOUT_S: Final = 600.0
"""A processor may take minutes to read a long prompt, and requests wait for each other."""
_SERVER: Final = ("threads", "context", "parallel")
_ELSEWHERE: Final = ("base_url", "key_env", "headers", "query", "proxy", "trust_env", "kind")


class Table(BaseModel):
    """A table of `osler.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Embedded(Table):
    """The settings of a file of weights, `gguf`, that Osler serves itself, on this machine's processor.

    `threads` are those that compute (all cores but one), `context` the tokens that a request and its answer
    may have together, `parallel` the requests that are answered at once. It is `local`.
    """

    gguf: Path | None = None
    """A file of weights, relative to the folder of osler.toml, that Osler serves itself."""
    threads: int | None = Field(default=None, ge=1, le=1024)
    context: int | None = Field(default=None, ge=512)
    parallel: int | None = Field(default=None, ge=1, le=64)

    @model_validator(mode="before")
    @classmethod
    def _completed(cls, table: object) -> object:
        return completed(table) if isinstance(table, Mapping) else table


def completed(table: Mapping[str, Any]) -> dict[str, Any]:
    """The table of an endpoint with all that follows from its `gguf`. Raises ValueError for settings of
    another kind of endpoint."""
    if table.get("gguf") is None:
        if strange := [name for name in _SERVER if table.get(name) is not None]:
            raise ValueError(f"{strange[0]} is for an endpoint with `gguf`")
        return dict(table)
    implied = {
        "base_url": ADDRESS,
        "model": Path(str(table["gguf"])).stem,
        "local": True,
        "max_in_flight": table.get("parallel") or 1,
        "timeout_s": TIMEOUT_S,
    }
    if table.get("price_in") is None and table.get("price_out") is None:
        implied |= {"price_in": 0.0, "price_cached": 0.0, "price_out": 0.0}
    for name in _ELSEWHERE:
        if name in table and table[name] != implied.get(name):
            raise ValueError(f"Osler serves the file of `gguf` itself: leave out {name}")
    if table.get("local") is False:
        raise ValueError("a file of `gguf` is local: leave out local")
    return {**implied, **table}


def placed(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The table of an endpoint with the place of its `gguf` in full: it is relative to osler.toml."""
    named = table.get("gguf")
    if not isinstance(named, str) or not named:
        return dict(table)
    return {**table, "gguf": os.path.abspath(folder / Path(named).expanduser())}


def default_threads() -> int:
    """All cores that this process may use but one, for Osler itself."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        cores = os.cpu_count() or 1
    return max(1, cores - 1)
