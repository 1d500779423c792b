"""A package as pip would install it: a module on the path, with its entry points."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path

import pytest


def installed(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    module: str,
    entry_points: Mapping[str, Mapping[str, str]],
) -> None:
    """Install a package of one module into `folder`, for one test."""
    (folder / f"{name}.py").write_text(module, encoding="utf-8")
    info = folder / f"{name}-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in held.items())
        for group, held in entry_points.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
