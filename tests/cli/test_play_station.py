"""`osler play` takes a station of the library, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cli.main import app


def test_a_station_is_played_as_its_examinee_and_judged(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'osler.db'}"
    typed = "Hello, I am Dr Ali.\n/give adrenaline 0.5 mg intramuscularly\n\n" + "/wait\n" * 199
    done = CliRunner().invoke(app, ["play", "st01", "--store", store], input=typed)
    assert done.exit_code == 0, done.output
    assert "199 more after it" in done.output
    assert "adrenaline" in done.output.lower()


def test_a_station_has_no_patients_chair(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'osler.db'}"
    done = CliRunner().invoke(app, ["play", "st01", "--as", "patient", "--store", store])
    assert done.exit_code == 1
    assert "omit --as" in done.output


@pytest.mark.parametrize("name", ["st99", "cardiology-99"])
def test_a_name_that_is_neither_is_refused(name: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["play", name, "--store", f"sqlite:///{tmp_path / 'osler.db'}"])
    assert done.exit_code == 1
    assert "there is no such source of cases" in done.output
