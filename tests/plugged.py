"""A package as pip would install it: a module on the path, with its entry points."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path

import pytest


def laid_out(
    folder: Path, name: str, files: Mapping[str, str], entry_points: Mapping[str, Mapping[str, str]]
) -> Path:
    """Write a package's files and metadata into `folder` as an installer does; returns the folder."""
    info = folder / f"{name}-0.1.dist-info"
    info.mkdir(parents=True)
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in held.items())
        for group, held in entry_points.items()
    ]
    known_as = name.replace("_", "-")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {known_as}\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text("\n".join(lines))
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder


def installed(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    module: str,
    entry_points: Mapping[str, Mapping[str, str]],
) -> None:
    """Install a package of one module into `folder`, for one test."""
    monkeypatch.syspath_prepend(str(laid_out(folder, name, {f"{name}.py": module}, entry_points)))
    importlib.invalidate_caches()
