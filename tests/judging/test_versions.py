"""A grader's version follows its number, data, prompts and settings, and never its source text."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pytest

import osler
from osler.cases.rubrics import polarity
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.judging.model import diagnosis, engine
from osler.judging.model.diagnosis import DiagnosisJudge
from osler.judging.rubric import by_model, lexical
from osler.judging.rubric.by_model import ModelRubricJudge
from osler.knowledge import fingerprint
from osler.models.config import Endpoint
from osler.models.types import Output
from osler.protocols.consultation.judge import built_in as judge
from osler.protocols.consultation.judge import manager
from osler.protocols.consultation.judge.manager import ManagerJudge
from osler.protocols.scenario.judge import keyed
from osler.protocols.ward_round.judge import by_model as teaching
from osler.protocols.ward_round.judge import round_judgement as record
from osler.protocols.ward_round.judge.by_model import TeachingJudge
from tests.cases.rubrics.samples import rubric_of

ENDPOINT: Final = Endpoint(name="judge", base_url="http://127.0.0.1:1/v1", model="tiny-judge")
NOBODY: Final[Any] = None
RUBRIC: Final = rubric_of("Asks when the pain began")


def scenarios() -> Iterator[Scenario]:
    return iter(open_scenarios("library"))


def rubric_version() -> str:
    lexical._version.cache_clear()
    return lexical.version(RUBRIC)


def baseline_version() -> str:
    judge.grader_version.cache_clear()
    return judge.grader_version()


GRADERS: Final[dict[str, Callable[[], str]]] = {
    "baseline": baseline_version,
    "lexical": rubric_version,
    "keyed": lambda: keyed.version(next(scenarios())),
    "diagnosis": lambda: DiagnosisJudge(NOBODY, ENDPOINT).version,
    "manager": lambda: ManagerJudge(NOBODY, ENDPOINT).version,
    "rubric": lambda: ModelRubricJudge(NOBODY, ENDPOINT).version(RUBRIC),
    "teaching": lambda: TeachingJudge(NOBODY, ENDPOINT).version,
    "round": lambda: record.VERSION,
}
MODULES: Final = {
    "baseline": judge,
    "lexical": lexical,
    "keyed": keyed,
    "diagnosis": diagnosis,
    "manager": manager,
    "rubric": by_model,
    "teaching": teaching,
}


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch) -> Any:
    yield
    monkeypatch.undo()
    baseline_version()
    rubric_version()


def all_versions() -> dict[str, str]:
    """Every grader's version, in the Python that asks."""
    return {name: found() for name, found in GRADERS.items()}


@pytest.mark.slow
def test_rewording_every_line_of_documentation_changes_no_version(tmp_path: Path) -> None:
    """A copy of the whole package, with a comment at both ends of each file and a docstring reworded."""
    here = Path(osler.__file__).parent
    copy = shutil.copytree(here, tmp_path / "osler", ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*.py"):
        text = path.read_text("utf-8").replace('"""\n', ' Reworded."""\n', 1)
        path.write_text(f"# Before.\n{text}\n# After.\n", "utf-8")
    code = "import json, osler; from tests.judging.test_versions import all_versions as a;"
    code += "print(json.dumps([osler.__file__, a()]))"
    paths = os.pathsep.join((str(tmp_path), str(Path(__file__).parents[2])))
    said = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        check=True,
        text=True,
    )
    where, versions = json.loads(said.stdout)
    assert Path(where).is_relative_to(tmp_path)
    assert "Reworded." in (copy / "judging" / "scores.py").read_text("utf-8")
    assert versions == all_versions()


@pytest.mark.parametrize("name", MODULES)
def test_raising_a_graders_number_changes_its_version(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = GRADERS[name]()
    monkeypatch.setattr(MODULES[name], "VERSION", "next")
    assert GRADERS[name]() != before
    assert GRADERS[name]().startswith("next-")


@pytest.mark.parametrize(
    ("name", "where", "what"),
    [
        ("baseline", judge, "VOCABULARY"),
        ("baseline", judge, "fingerprint"),
        ("baseline", judge, "NAMES"),
        ("lexical", polarity, "data"),
        ("lexical", lexical, "fingerprint"),
        ("teaching", teaching, "scales"),
    ],
)
def test_other_data_is_another_version(
    name: str, where: Any, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = GRADERS[name]()
    old = getattr(where, what)
    other: Any = (lambda: {}) if what == "scales" else (lambda: "other") if callable(old) else old[:-1]
    monkeypatch.setattr(where, what, other)
    assert GRADERS[name]() != before


@pytest.mark.parametrize("name", ["diagnosis", "manager", "rubric", "teaching"])
def test_another_prompt_is_another_version(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = GRADERS[name]()
    module: Any = MODULES[name]
    real = module.template(module.TEMPLATE)
    monkeypatch.setattr(module, "template", lambda _: real._replace(user=real.user + " Be brief."))
    assert GRADERS[name]() != before


@pytest.mark.parametrize("name", ["diagnosis", "manager", "rubric"])
def test_another_form_of_answer_is_another_version(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = GRADERS[name]()
    monkeypatch.setattr(engine, "output_of", lambda count, top: Output(name="x", json_schema={}))
    assert GRADERS[name]() != before


def test_another_scenario_is_another_version_of_its_judge() -> None:
    one, two = islice(scenarios(), 2)
    assert keyed.version(one) != keyed.version(two)


def test_the_judge_of_ward_rounds_names_what_it_knows() -> None:
    assert record.VERSION.endswith(fingerprint())


def test_the_packaged_lists_of_words_are_what_is_hashed() -> None:
    assert polarity.data() == files("osler.cases.rubrics").joinpath("wording.yaml").read_text("utf-8")
