"""Tables for analysis: complete, described, inert in a spreadsheet, the same for the same store."""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from osler.core.config import Config
from osler.core.measure import NOTHING, Ratio, plain_value
from osler.errors import BadInput, Status
from osler.protocols.consultation.measures import NAMES
from osler.protocols.consultation.protocol import PROTOCOL
from osler.protocols.consultation.report import ConsultationParts
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.reports.table_columns import tables_of
from osler.runs import run as runs
from osler.runs.measured import measured
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.table_rows import export_tables
from osler.text.safe_csv import original
from tests.reports.stored_runs import HOSTILE, Episode, write_run

Row = dict[str, str]
TABLES = tables_of(PROTOCOL, ConsultationParts.of_case, ConsultationParts.of_end)


@pytest.fixture
def run(store: Store) -> RunInfo:
    spoilt = Episode(case_id="spoilt", status=Status.SIMULATOR_FAULT, reason="=HYPERLINK(1)")
    return write_run(store, Episode(), Episode(diagnosis="@Pneumonia", case_id=HOSTILE), spoilt)


def rows(folder: Path, name: str) -> list[Row]:
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_episode_exchange_and_score_has_a_row(store: Store, run: RunInfo, tmp_path: Path) -> None:
    export_tables(store, [run], tmp_path / "t")
    episodes, exchanges = rows(tmp_path / "t", "episodes"), rows(tmp_path / "t", "exchanges")
    assert [row["ordinal"] for row in episodes] == ["0", "1", "2"]
    assert len(exchanges) == sum(int(row["exchanges"]) for row in episodes) == 9
    assert len(rows(tmp_path / "t", "scores")) == 3 * len(NAMES)
    assert [row["correct"] for row in episodes] == ["1.0", "0.0", ""], "unscored is empty, never 0"
    assert episodes[0]["diagnosis"] == "Pulmonary embolism"
    assert [(row["seat"], row["action"], row["minute"]) for row in exchanges[:3]] == [
        ("doctor", "ASK", "1"),
        ("examination", "", "2"),
        ("doctor", "FINALIZE", "4"),
    ]
    assert json.loads(exchanges[0]["reply"])["question"] == "It hurts when I breathe."


def test_the_columns_of_consultations_stand_where_they_stood(
    store: Store, run: RunInfo, tmp_path: Path
) -> None:
    export_tables(store, [run], tmp_path)
    columns = list(rows(tmp_path, "episodes")[0])
    outcome = [one.name for one in PROTOCOL.measures if not (one.judged or one.traced)]
    assert outcome[:4] == ["turns", "tests", "minutes", "cost"]
    first = [
        *("run", "ordinal", "episode", "case_id", "case_hash", "kind", "chance", "status", "reason"),
        *(*outcome, "exchanges", "diagnosis", "answer", "grader_version"),
        *(name for name in NAMES if name not in outcome),
    ]
    assert columns[: len(first)] == first
    assert columns[len(first)] == "cost_per_correct"
    assert columns[-1] == "tokens"


@pytest.mark.parametrize(
    ("config", "seat"),
    [(RoundConfig(limit=2), "tutor"), (ScenarioConfig(limit=2), "examinee")],
    ids=["ward_round", "scenario"],
)
def test_every_protocol_has_its_own_measures_and_seats(
    store: Store, tmp_path: Path, config: Config, seat: str
) -> None:
    run = runs.play(runs.begin(config, store), store).run
    export_tables(store, [run], tmp_path)
    episodes, exchanges = rows(tmp_path, "episodes"), rows(tmp_path, "exchanges")
    assert "diagnosis" not in episodes[0]
    assert seat in {row["seat"] for row in exchanges}
    assert len(exchanges) == sum(int(row["exchanges"]) for row in episodes)
    for place, measure in enumerate(config.plays.measures):
        values = [one.values[place] for one in measured(run, store, config.plays.measures)]
        for row, value in zip(episodes, values, strict=True):
            plain = plain_value(value)
            assert row[measure.name] == ("" if plain is None else str(plain))
            if isinstance(value, Ratio) and value is not NOTHING:
                assert float(row[f"{measure.name}_part"]) == value.part
                assert float(row[f"{measure.name}_whole"]) == value.whole


def test_runs_of_two_protocols_share_no_tables(store: Store, run: RunInfo, tmp_path: Path) -> None:
    other = runs.play(runs.begin(ScenarioConfig(limit=1), store), store).run
    with pytest.raises(BadInput, match="one of scenarios"):
        export_tables(store, [run, other], tmp_path)


@pytest.mark.parametrize("bad", ["=1+1", " =cmd", "＝cmd", "%0A", "|calc", "'=quoted", "\t=tab"])
def test_whatever_a_spreadsheet_might_calculate_stays_text(store: Store, tmp_path: Path, bad: str) -> None:
    export_tables(store, [write_run(store, Episode(diagnosis=bad))], tmp_path)
    said = rows(tmp_path, "episodes")[0]["diagnosis"]
    assert said.startswith("'")
    assert original(said) == bad


def test_why_there_is_no_score_is_said(store: Store, run: RunInfo, tmp_path: Path) -> None:
    export_tables(store, [run], tmp_path)
    spoilt = [row for row in rows(tmp_path, "scores") if row["ordinal"] == "2"]
    assert {(row["value"], row["reason"]) for row in spoilt} == {("", "simulator_fault")}


def test_no_cell_is_a_formula(store: Store, run: RunInfo, tmp_path: Path) -> None:
    export_tables(store, [run], tmp_path)
    episodes = rows(tmp_path, "episodes")
    assert episodes[2]["reason"] == "'=HYPERLINK(1)"
    assert episodes[1]["diagnosis"] == "'@Pneumonia"
    assert episodes[1]["case_id"].startswith("</dd>")
    text = (tmp_path / "episodes.csv").read_bytes()
    assert b"\0" not in text


def test_the_description_fits_the_files(store: Store, run: RunInfo, tmp_path: Path) -> None:
    written = export_tables(store, [run], tmp_path)
    described: dict[str, Any] = json.loads((tmp_path / "croissant.json").read_text(encoding="utf-8"))
    assert "http://mlcommons.org/croissant/1.0" in described["conformsTo"]
    assert described["license"] == "not stated by the case"
    assert '"doctor": "baseline"' in described["rai:dataCollection"]
    files = {file["name"]: file for file in described["distribution"]}
    assert {*files, "croissant.json"} == {path.name for path in written}
    for name, file in files.items():
        assert file["sha256"] == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
    for table, records in zip(TABLES, described["recordSet"], strict=True):
        header = (tmp_path / f"{table.name}.csv").read_text(encoding="utf-8").splitlines()[0]
        assert [field["source"]["extract"]["column"] for field in records["field"]] == header.split(",")


def test_several_runs_share_the_tables_and_the_bytes_repeat(
    store: Store, run: RunInfo, tmp_path: Path
) -> None:
    other = write_run(store, Episode(), name="other")
    for folder in ("a", "b"):
        export_tables(store, [run, other], tmp_path / folder)
    assert {row["run"] for row in rows(tmp_path / "a", "episodes")} == {run.name, "other"}
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_a_folder_that_cannot_be_written_is_refused(store: Store, run: RunInfo, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BadInput, match="cannot be created"):
        export_tables(store, [run], tmp_path / "file")


def test_without_pyarrow_there_is_no_parquet(
    store: Store, run: RunInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("osler.reports.tables_export.find_spec", lambda name: None)
    written = export_tables(store, [run], tmp_path)
    assert [path.name for path in written] == [
        "episodes.csv",
        "exchanges.csv",
        "scores.csv",
        "croissant.json",
    ]


def test_parquet_holds_what_the_csv_holds(store: Store, run: RunInfo, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: Parquet is not tested")
    parquet: Any = __import__("pyarrow.parquet", fromlist=["read_table"])
    export_tables(store, [run], tmp_path)
    for table in TABLES:
        held = parquet.read_table(tmp_path / f"{table.name}.parquet").to_pylist()
        shown = rows(tmp_path, table.name)
        assert len(held) == len(shown)
        for column in table.columns:
            for mine, theirs in zip(held, shown, strict=True):
                value = mine[column.name]
                cell = theirs[column.name].removeprefix("'")
                assert ("" if value is None else str(value).replace("\0", "\\x00")) == cell
    assert "pyarrow" in sys.modules
