"""The work folder: each step's result is a JSON file with a hash of what it was made from.

    {"step": "triage", "inputs": "3f...", "by": "writer 9a...", "sum": "c0...", "result": ...}

A step with unchanged inputs is not run again. A file that cannot be read, or whose result was altered after
it was written, is ignored: people correct drafts, not steps.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from pydantic_core import to_json

from osler.files import write_whole

RULES: Final = "rules"
"""The maker of a result when no model was involved."""


def digest(*parts: object) -> str:
    """A hash, 32 hex digits, over JSON values."""
    return blake2b(to_json(parts), digest_size=16).hexdigest()


class Steps:
    """The results stored in one folder. Step names are ours: letters, digits, hyphens and `/`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, name: str) -> Path:
        """The path of a step's file."""
        return self._folder / f"{name}.json"

    def last(self, name: str) -> dict[str, Any] | None:
        """The step's file, whatever its inputs were; `None` where there is none that can be read."""
        try:
            value = json.loads(self.path(name).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(value, dict) or value.get("sum") != digest(value.get("result")):
            return None
        return value if {"inputs", "by", "result"} <= value.keys() else None

    def kept(self, name: str, inputs: str, by: str | None = None) -> Any | None:
        """The result for these inputs `by` this maker, or by any maker where none is named; else `None`."""
        held = self.last(name)
        if held is None or held["inputs"] != inputs or (by is not None and held["by"] != by):
            return None
        return held["result"]

    def keep(self, name: str, inputs: str, by: str, result: Any) -> Any:
        """Store a result and return it as it will be read back."""
        plain = json.loads(to_json(result))
        held = {"step": name, "inputs": inputs, "by": by, "sum": digest(plain), "result": plain}
        write_whole(self.path(name), to_json(held, indent=2).decode() + "\n")
        return plain
