"""Damaged records are read or refused in words; nothing is lost, and nothing missing is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from osler.cases.importers import fhir
from tests.cases.damaged_records import FORMATS, JSON_FORMATS, TABLES, tried
from tests.cases.importing import FIXTURES


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_records_are_read_or_refused_and_nothing_missing_is_told(name: str, tmp_path: Path) -> None:
    counts = tried(name, 300, 7, tmp_path)
    assert counts["imported"] + counts["rejected"] == 300
    assert min(counts["imported"], counts["rejected"]) > 20, "both were tried"


@pytest.mark.parametrize(
    ("importer", "name"), [*JSON_FORMATS.values(), *TABLES.values(), (fhir, "fhir_small.ndjson")]
)
def test_a_file_of_each_format_is_recognised(importer: Any, name: str) -> None:
    assert importer.LOOKS_LIKE.search((FIXTURES / name).read_bytes())
