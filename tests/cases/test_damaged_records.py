"""Damaged records are read or refused in words; nothing is lost, and nothing missing is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.damaged_records import FORMATS, tried


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_records_are_read_or_refused_and_nothing_missing_is_told(name: str, tmp_path: Path) -> None:
    counts = tried(name, 300, 7, tmp_path)
    assert counts["imported"] + counts["rejected"] == 300
    assert min(counts["imported"], counts["rejected"]) > 20, "both were tried"
