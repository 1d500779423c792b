"""A store for each test."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))
    monkeypatch.delenv("OSLER_CONFIG", raising=False)
