"""The files of docs/examples that no page executes: a record is imported, a Job starts a worker."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from typer.testing import CliRunner

from osler.cases.sources import open_source
from osler.cli.main import app

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"


def test_a_record_of_the_form_becomes_a_case(tmp_path: Path) -> None:
    record = json.loads((EXAMPLES / "osce-record.json").read_text("utf-8"))
    (tmp_path / "one.jsonl").write_text(json.dumps(record), "utf-8")
    words = ["cases", "import", str(tmp_path / "one.jsonl"), "--format", "agentclinic", "--out"]
    done = CliRunner().invoke(app, [*words, str(tmp_path / "cases"), "--json"])
    assert done.exit_code == 0, done.output
    (case,) = open_source(str(tmp_path / "cases"))
    assert case.diagnosis
    assert case.diagnosis.name == record["OSCE_Examination"]["Correct_Diagnosis"]
    assert case.findings


def test_the_job_s_containers_are_workers_that_the_program_knows() -> None:
    job = yaml.safe_load((EXAMPLES / "kubernetes.yaml").read_text("utf-8"))
    [container] = job["spec"]["template"]["spec"]["containers"]
    command, run, *options = container["args"]
    done = CliRunner().invoke(app, [command, run, *options, "--store", "missing.db"])
    assert run in done.output or "missing.db" in done.output
    assert done.exit_code == 1
