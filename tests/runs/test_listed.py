"""A run begun from files is played on a machine that does not have them, from the cases in the store."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from osler.core.config import Config
from osler.errors import BadInput, BadStore
from osler.protocols.consultation.config import RunConfig
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.runs import run as runs
from osler.store.export import export_lines
from osler.store.schema import cases, listed_cases, run_cases
from osler.store.store import Store, open_store
from tests.store.conftest import schema_of_its_own

LIBRARY = Path(str(resources.files("osler.cases") / "library"))
SCENARIOS = Path(str(resources.files("osler.cases.scenarios") / "library"))
HOME = "here"


@pytest.fixture
def shared() -> Iterator[Store]:
    """A store that other machines can reach."""
    for url in schema_of_its_own():
        with open_store(url) as store:
            yield store


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of four cases on this machine."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / HOME).mkdir()
    for path in sorted(LIBRARY.glob("*.yaml"))[:4]:
        shutil.copy(path, tmp_path / HOME)
    return tmp_path / HOME


@pytest.mark.parametrize(
    "config",
    [
        RunConfig(cases=HOME, repeats=2),
        RunConfig(cases=HOME, limit=3),
        RoundConfig(cases=HOME, limit=2, teach_by="another", students=1),
        ScenarioConfig(cases=HOME, limit=2),
    ],
)
def test_without_the_file_the_same_bytes_are_played(shared: Store, folder: Path, config: Config) -> None:
    if isinstance(config, ScenarioConfig):
        shutil.rmtree(folder)
        shutil.copytree(SCENARIOS, folder)
    here, there = (runs.begin(config, shared) for _ in range(2))
    assert runs.play(here, shared).status == "done"
    shutil.rmtree(folder)
    assert runs.play(there, shared).status == "done"
    assert list(export_lines(shared, there.id)) == list(export_lines(shared, here.id))


def test_one_case_of_many_is_listed_alone(shared: Store, folder: Path) -> None:
    third = list(RunConfig(cases=HOME).opened())[2].id
    run = runs.begin(RunConfig(cases=HOME, only=third), shared)
    assert run.manifest["cases_listed"]["cases"] == 1
    shutil.rmtree(folder)
    assert runs.play(run, shared).status == "done"
    assert next(shared.records(run.id))[0].case_id == third


def test_a_file_that_is_another_there_is_refused(shared: Store, folder: Path) -> None:
    run = runs.begin(RunConfig(cases=HOME), shared)
    next(folder.iterdir()).unlink()
    with pytest.raises(BadInput, match="the cases have changed"):
        runs.play(run, shared)


def test_a_list_or_a_case_that_is_not_what_was_written_is_refused(shared: Store, folder: Path) -> None:
    run = runs.begin(RunConfig(cases=HOME), shared)
    first = sa.select(listed_cases.c.hash).where(listed_cases.c.place == 0).scalar_subquery()
    second = sa.select(cases.c.body).where(cases.c.hash != first).limit(1).scalar_subquery()
    shutil.rmtree(folder)
    change(shared, sa.update(cases).where(cases.c.hash == first).values(body=second))
    with pytest.raises(BadInput, match="case 1 is read otherwise"):
        runs.play(run, shared)
    change(shared, sa.delete(listed_cases).where(listed_cases.c.place == 0))
    with pytest.raises(BadStore, match="damaged"):
        runs.play(run, shared)


def test_the_list_goes_with_its_run(shared: Store, folder: Path) -> None:
    runs.begin(RunConfig(cases=HOME), shared, name="one")
    runs.begin(RunConfig(cases=HOME, limit=1), shared, name="other")
    for name, left in (("one", 1), ("other", 0)):
        shared.delete_run(name)
        with shared.connected() as connection:
            counts = [
                connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
                for table in (cases, run_cases, listed_cases)
            ]
        assert counts == [left] * 3


def test_what_every_machine_has_is_not_listed(shared: Store, folder: Path, tmp_path: Path) -> None:
    for spec in ("library", "generated:2:7"):
        run = runs.begin(RunConfig(cases=spec, limit=2), shared)
        assert "cases_listed" not in run.manifest
    with open_store(tmp_path / "one-machine.db") as store:
        run = runs.begin(RunConfig(cases=HOME), store)
        assert "cases_listed" not in run.manifest
        shutil.rmtree(folder)
        with pytest.raises(BadInput, match="no such source"):
            runs.play(run, store)


def change(store: Store, statement: Any) -> None:
    with store.writing() as connection:
        connection.execute(statement)
