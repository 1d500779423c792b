"""Exports: the formats' constraints are kept, and nothing is said that the card does not say."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

from osler.cli.main import app
from osler.errors import BadInput
from osler.studies.bench.every_eval_ever import record_of
from osler.studies.bench.exports import Board, eval_result, export_eval_results, export_every_eval_ever
from osler.studies.bench.submission import CARD
from tests.studies.bench.submissions import copied

SCHEMA = json.loads(Path(__file__).with_name("every_eval_ever.json").read_text())
BOARD = Board("owner/cases", "consultation", "0a1b", "https://example.org/shared")
ENTRIES = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["dataset", "value"],
        "properties": {
            "dataset": {
                "type": "object",
                "additionalProperties": False,
                "required": ["id", "task_id"],
                "properties": {name: {"type": "string"} for name in ("id", "task_id", "revision")},
            },
            "value": {"type": "number"},
            "verifyToken": {"type": "string"},
            "date": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}"},
            "source": {
                "type": "object",
                "additionalProperties": False,
                "required": ["url"],
                "properties": {name: {"type": "string"} for name in ("url", "name", "user")},
            },
            "evaluation_framework": {"type": "string"},
            "notes": {"type": "string"},
        },
    },
}
"""The fields of `.eval_results/` as the Hub documents them."""


def _checked(value: object, kind: str) -> None:
    jsonschema.Draft7Validator({**SCHEMA, "$ref": f"#/$defs/{kind}"}).validate(value)


@pytest.fixture(scope="module")
def exported(consultations: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The records of Every Eval Ever of a submission."""
    out = tmp_path_factory.mktemp("exported") / "out"
    export_every_eval_ever(consultations, out)
    return out


@pytest.fixture(scope="module")
def card(consultations: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((consultations / CARD).read_text())
    return value


def test_a_record_keeps_the_schema_and_names_its_file_of_encounters(exported: Path) -> None:
    (path,) = exported.glob("*.json")
    record = json.loads(path.read_text())
    _checked(record, "record")
    details = record["detailed_evaluation_results"]
    lines = (exported / details["file_path"]).read_bytes()
    assert details["checksum"] == sha256(lines).hexdigest()
    assert details["total_rows"] == len(lines.splitlines()) == 2
    for line in map(json.loads, lines.splitlines()):
        _checked(line, "instance")
        assert line["evaluation_id"] == record["evaluation_id"]
        assert line["evaluation_result_id"] == record["evaluation_results"][0]["evaluation_result_id"]


@pytest.mark.parametrize(
    "broken", [{"schema_version": 1}, {"evaluation_results": [{}]}, {"more": 1}, {"source_metadata": {}}]
)
def test_the_schema_refuses_what_it_should(exported: Path, broken: dict[str, Any]) -> None:
    (path,) = exported.glob("*.json")
    with pytest.raises(jsonschema.ValidationError):
        _checked({**json.loads(path.read_text()), **broken}, "record")


def test_a_record_has_the_cards_figures(exported: Path, card: dict[str, Any]) -> None:
    record = json.loads(next(exported.glob("*.json")).read_text())
    run = card["runs"][0]
    assert record["model_info"]["id"] == "lab/fake-1"
    assert record["source_metadata"]["evaluator_relationship"] == "third_party"
    for one in record["evaluation_results"]:
        measure = run["measures"][one["evaluation_name"]]
        assert one["score_details"]["score"] == measure["value"]
        assert one["score_details"]["uncertainty"]["num_samples"] == measure["n"]
        assert one["metric_config"]["lower_is_better"] == (measure["better"] == "less")
    (first, *rest) = record["evaluation_results"]
    assert first["evaluation_name"] == run["headline"]
    assert first["generation_config"]["generation_args"] == {"temperature": 0.7}
    assert rest
    left_out = record["source_metadata"]["additional_details"]["measures_left_out"].split(", ")
    assert {one["evaluation_name"] for one in record["evaluation_results"]} | set(left_out) == set(
        run["measures"]
    )


def _leaves(value: Any) -> set[str]:
    """The numbers and texts in a value; a text that is JSON is taken apart."""
    if isinstance(value, dict):
        return {leaf for one in value.values() for leaf in _leaves(one)}
    if isinstance(value, list):
        return {leaf for one in value for leaf in _leaves(one)}
    if isinstance(value, str) and value[:1] in ("{", "["):
        return _leaves(json.loads(value))
    return {str(value)}


def test_a_record_says_nothing_that_the_card_does_not(exported: Path, card: dict[str, Any]) -> None:
    record = json.loads(next(exported.glob("*.json")).read_text())
    of_the_format = {
        *("0.2.2", "Osler card", "evaluation_run", "third_party", "osler", "other", "continuous", "jsonl"),
        *("sha256", "0.95", "clustered by case", "True", "False"),
    }
    known = _leaves(card) | of_the_format
    details = record.pop("detailed_evaluation_results")
    assert sorted(details["additional_details"]) == ["encounters", "measure", "without_a_score"]
    record["source_metadata"]["additional_details"].pop("measures_left_out")
    for name in ("evaluation_id", "retrieved_timestamp"):
        record.pop(name)
    for one in record["evaluation_results"]:
        assert one.pop("evaluation_result_id") == f"model/{one['evaluation_name']}"
        assert one["metric_config"].pop("metric_id") == f"osler.consultation.{one.pop('evaluation_name')}"
        assert one["source_data"].pop("dataset_name") == "Osler, generated:2:5"
    assert _leaves(record) - known == set()


def test_the_same_card_gives_the_same_bytes(exported: Path, consultations: Path, tmp_path: Path) -> None:
    names = export_every_eval_ever(consultations, tmp_path / "again")
    assert {name: (tmp_path / "again" / name).read_bytes() for name in names} == {
        path.name: path.read_bytes() for path in exported.iterdir()
    }


def test_an_entry_for_the_hub_keeps_its_fields(
    consultations: Path, tmp_path: Path, card: dict[str, Any]
) -> None:
    (name,) = export_eval_results(consultations, tmp_path / "out", BOARD)
    entries = yaml.safe_load((tmp_path / "out" / name).read_text())
    jsonschema.validate(entries, ENTRIES)
    (entry,) = entries
    head = card["runs"][0]["measures"]["correct"]
    assert entry["value"] == head["value"]
    assert entry["date"] == card["submitter"]["made_on"]
    assert card["hash"] in entry["notes"]
    assert "language models, not clinicians" in entry["notes"]
    figures = set(re.findall(r"\d+\.\d+", entry["notes"].partition(". custom")[0]))
    assert figures <= {f"{head[one]:.4g}" for one in ("value", "low", "high")}


@pytest.mark.parametrize(
    ("board", "says"),
    [
        (BOARD._replace(dataset="../x"), "--dataset"),
        (BOARD._replace(dataset=""), "--dataset"),
        (BOARD._replace(task=""), "--task"),
        (BOARD._replace(source="javascript:x"), "--source"),
    ],
)
def test_a_board_that_is_none_is_refused_by_name(
    consultations: Path, tmp_path: Path, board: Board, says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        export_eval_results(consultations, tmp_path / "out", board)


def test_what_does_not_verify_is_not_exported(consultations: Path, tmp_path: Path) -> None:
    folder = copied(consultations, tmp_path)
    (folder / CARD).write_text(
        (folder / CARD).read_text().replace('"trained_on": "no"', '"trained_on": "yes"')
    )
    with pytest.raises(BadInput, match="is not as it says"):
        export_every_eval_ever(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_built_in_players_are_exported_as_no_model(others: Path, tmp_path: Path) -> None:
    arguments = [
        "bench",
        "export",
        str(others),
        "--format",
        "every-eval-ever",
        "--out",
        str(tmp_path / "out"),
    ]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1
    assert "no run with a model under test" in done.output


def test_the_command_names_its_files(consultations: Path, tmp_path: Path) -> None:
    arguments = ["bench", "export", str(consultations), "--format", "eval-results", "--json"]
    given = ["--dataset", "owner/cases", "--task", "main", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*arguments, *given])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {
        "format": "eval-results",
        "files": [str(tmp_path / "out" / "model.yaml")],
    }


def test_an_entry_says_between_what_the_unscored_leave_the_headline(card: dict[str, Any]) -> None:
    run = next(one for one in card["runs"] if one["role"] == "under test")
    assert "it lies between" not in eval_result(card, run, BOARD)["notes"]
    half = run | {"headline_bounds": [0.25, 0.75], "withheld": 3}
    notes = eval_result(card, half, BOARD)["notes"]
    assert "so that it lies between 0.25 and 0.75; 3 withheld by their people" in notes


def test_a_record_gives_the_bounds_that_the_unscored_leave_the_headline(card: dict[str, Any]) -> None:
    run = next(one for one in card["runs"] if one["role"] == "under test")
    record = json.loads(record_of(card, run | {"headline_bounds": [0.25, 0.75]}, "", 2)[1])
    _checked(record, "record")
    head, *others = (one["score_details"]["details"] for one in record["evaluation_results"])
    assert json.loads(head["headline_bounds"]) == {"lower": 0.25, "upper": 0.75}
    assert not any("headline_bounds" in one for one in others)
    without = json.loads(record_of(card, run | {"headline_bounds": None}, "", 2)[1])
    assert "headline_bounds" not in without["evaluation_results"][0]["score_details"]["details"]
