"""A library case or scenario is named by its id alone, wherever a source of cases is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from osler.cases.scenarios.sources import open_scenarios
from osler.cases.sources import open_source
from osler.errors import BadInput


def test_an_id_of_the_library_is_a_source_of_one_case() -> None:
    (case,) = open_source("cardiology-01")
    assert case == next(one for one in open_source("library") if one.id == "cardiology-01")
    (scenario,) = open_scenarios("st01")
    assert scenario == next(one for one in open_scenarios("library") if one.case_id == "st01")


def test_a_local_file_of_the_same_name_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cardiology-01").mkdir()
    with pytest.raises(BadInput, match="holds no case files"):
        list(open_source("cardiology-01"))


@pytest.mark.parametrize("spec", ["cardiology-99", "../library/cardiology-01", "cardiology-01.yaml", "a\0b"])
def test_anything_else_is_no_id(spec: str) -> None:
    with pytest.raises(BadInput):
        open_source(spec)
