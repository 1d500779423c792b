"""Submissions: what is shared is enough to compute every figure again, on any machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.errors import BadInput
from osler.files import sha256_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.store.store import open_store
from osler.studies.bench.submission import CARD, PAGE, SUBMISSION, submit
from osler.studies.bench.verify import verify
from tests.store.conftest import schema_of_its_own
from tests.studies.bench.submissions import (
    CONSULTATIONS,
    OTHERS,
    STATEMENT,
    copied,
    lines_of,
    reseal,
    submitted,
    write_lines,
)

MODEL = "model:fake"
ALL_MODELS = {
    "consultation": RunConfig(
        cases="library", limit=1, doctor=MODEL, patient="model:ward", examination=MODEL
    ),
    "round": RoundConfig(cases="library", limit=1, tutor=MODEL, patient="model:ward", specialist=MODEL),
    "station": ScenarioConfig(
        cases="library", limit=2, examinee=MODEL, patient="model:ward", controller=MODEL
    ),
}


@pytest.fixture
def folder(consultations: Path, tmp_path: Path) -> Path:
    """A copy of a submission, to be tampered with."""
    return copied(consultations, tmp_path)


def test_what_was_shared_can_be_computed_again(consultations: Path, others: Path) -> None:
    for folder, encounters in ((consultations, 7), (others, 2)):
        found = verify(folder)
        assert found.failures == []
        assert found.checked["replay"] + found.checked.get("fault", 0) >= encounters - 1
        assert found.checked["episode"] == encounters
        assert any("the prices are as submitted" in line for line in found.unchecked)


def test_a_fault_stays_in_the_denominator_and_is_said_not_to_be_played_again(consultations: Path) -> None:
    (faulty,) = (
        one for one in json.loads((consultations / CARD).read_text())["runs"] if one["run"] == "faulty"
    )
    assert (faulty["planned"], faulty["causes"], faulty["ended"]) == (
        1,
        {"RuntimeError": 1},
        {"player_fault": 1},
    )
    assert faulty["measures"]["correct"]["unscored"] == 1
    assert any("faulty:0 ended by a fault" in line for line in verify(consultations).unchecked)


def test_models_in_every_seat_are_read_again_from_the_record(tmp_path: Path) -> None:
    found = verify(submitted(tmp_path, ALL_MODELS))
    assert found.failures == []
    assert found.checked["replay"] == 4


@pytest.fixture
def on_server() -> Iterator[str]:
    """An address on PostgreSQL where there is no store yet."""
    yield from schema_of_its_own()


def test_a_run_in_postgresql_gives_a_folder_that_verifies(on_server: str, tmp_path: Path) -> None:
    configs = {name: CONSULTATIONS[name] for name in ("model", "trivial")}
    assert verify(submitted(tmp_path, configs, on_server)).failures == []


def test_only_the_folder_is_needed(consultations: Path, tmp_path: Path) -> None:
    copied(consultations, tmp_path)
    (tmp_path / "home").mkdir()
    environment = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from osler.cli.main import main; main()",
            "bench",
            "verify",
            "../copy",
            "--json",
        ],
        cwd=tmp_path / "home",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["ok"], found["failures"]) == (True, [])
    assert list((tmp_path / "home").iterdir()) == []


def test_cases_that_are_part_of_osler_need_not_be_shared(tmp_path: Path) -> None:
    folder = submitted(tmp_path, OTHERS, with_cases=False)
    assert not (folder / "cases.jsonl").exists()
    assert verify(folder).failures == []
    lines = lines_of(folder / "runs/round.jsonl")
    lines[1]["minutes"] += 1
    write_lines(folder / "runs/round.jsonl", lines)
    reseal(folder, forge=True)
    assert ("end: minutes", "round:0") in {(one.what, one.where) for one in verify(folder).failures}


def test_other_cases_that_were_left_out_are_missed_by_their_hash(tmp_path: Path) -> None:
    cases = tmp_path / "cases.yaml"
    made = CliRunner().invoke(app, ["cases", "generate", "1", "--seed", "3", "--out", str(cases)])
    if made.exit_code:
        cases.write_text(Path("tests/fixtures/sound_case.yaml").read_text())
    config = {"own": RunConfig(cases=str(cases), doctor="always-conclude")}
    for name in ("own", "whole"):
        (tmp_path / name).mkdir()
    folder = submitted(tmp_path / "own", config, with_cases=False)
    (first, *_) = (one for one in verify(folder).failures if one.what == "case")
    assert first.where == "own:0"
    assert first.said == lines_of(folder / "runs/own.jsonl")[1]["case"]
    whole = verify(submitted(tmp_path / "whole", config))
    assert whole.failures == []
    assert any("no part of Osler" in line for line in whole.unchecked)


def test_the_command_says_what_where_said_and_found_and_exits_with_1(folder: Path) -> None:
    ran = CliRunner().invoke(app, ["bench", "verify", str(folder), "--json"])
    assert ran.exit_code == 0
    assert json.loads(ran.stdout)["ok"] is True
    (folder / "more.txt").write_text("x")
    ran = CliRunner().invoke(app, ["bench", "verify", str(folder), "--json"])
    assert ran.exit_code == 1
    found = json.loads(ran.stdout)
    assert {"ok", "checked", "failures"} <= found.keys()
    assert found["failures"] == [
        {"what": "file", "where": "more.txt", "said": "not listed", "found": "is there"}
    ]


def test_a_file_too_many_and_one_too_few_are_named(folder: Path) -> None:
    (folder / "more.txt").write_text("x")
    (folder / PAGE).unlink()
    found = {(one.where, one.found) for one in verify(folder).failures if one.what == "file"}
    assert found == {("more.txt", "is there"), (PAGE, "missing")}


@pytest.mark.parametrize("name", [CARD, SUBMISSION, "runs/trivial.jsonl", "runs/more"])
def test_a_link_and_a_pipe_are_not_followed(folder: Path, tmp_path: Path, name: str) -> None:
    path = folder / name
    if path.exists():
        path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert [(one.what, one.where, one.found) for one in verify(folder).failures] == [("kind", name, "a link")]
    path.unlink()
    os.mkfifo(path)
    assert [(one.where, one.found) for one in verify(folder).failures] == [(name, "no file")]


def _described(folder: Path, **run: object) -> None:
    told = json.loads((folder / SUBMISSION).read_text())
    told["runs"][1] |= run
    (folder / SUBMISSION).write_text(json.dumps(told))


@pytest.mark.parametrize("cases", ["library-x/../secret", "/etc", "generated:99999999:5", "../cases"])
def test_no_case_is_looked_for_outside_osler(folder: Path, cases: str) -> None:
    _described(folder, cases_given_as=cases)
    lines = lines_of(folder / "runs/trivial.jsonl")
    lines[0]["configuration"]["only"] = "x"
    write_lines(folder / "runs/trivial.jsonl", lines)
    reseal(folder, forge=True)
    found = verify(folder)
    assert not found.ok or any("no part of Osler" in line for line in found.unchecked)


@pytest.mark.parametrize("value", ["[" * 100_000, '{"hash": NaN}', "null", '{"hash": 1e999}'])
def test_a_card_that_is_none_is_named(folder: Path, value: str) -> None:
    (folder / CARD).write_text(value)
    assert {"card", "card hash"} & {one.what for one in verify(folder).failures}


def test_a_path_out_of_the_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    told = json.loads((folder / SUBMISSION).read_text())
    told["files"]["../secret"] = sha256_of(tmp_path / "secret")
    (folder / SUBMISSION).write_text(json.dumps(told))
    assert "../secret" in {one.where for one in verify(folder).failures}
    _described(folder, name="../secret")
    (failure,) = verify(folder).failures
    assert failure.what == "submission"
    assert "name" in failure.found


def test_a_folder_without_a_submission_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"submission\.json"):
        verify(tmp_path)


def test_a_submission_never_overwrites(consultations: Path) -> None:
    with (
        open_store(consultations.parent / "store.db") as store,
        pytest.raises(BadInput, match="there already"),
    ):
        submit([store.run("trivial")], store, consultations, STATEMENT, {})
