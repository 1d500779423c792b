"""A training's output folder and its report."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.errors import BadInput
from osler.reports.curves import thinned
from osler.training.folder import Folder, Stamp, servable
from osler.training.report import logged, training_html

STAMP = Stamp(
    kind="sft",
    data="d",
    data_hash="d1",
    base="b",
    base_hash="b1",
    config={"rank": 8},
    config_hash="c1",
    osler="0",
)


def begun(path: Path) -> Folder:
    folder = Folder(path)
    assert folder.begin(STAMP) is False
    return folder


def test_the_same_training_goes_on(tmp_path: Path) -> None:
    folder = begun(tmp_path / "out")
    assert folder.begin(STAMP.model_copy(update={"osler": "1", "libraries": {"torch": "2"}})) is True


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"data_hash": "d2"}, "another data set"),
        ({"base_hash": "b2"}, "another base"),
        ({"config_hash": "c2"}, "another settings"),
        ({"kind": "grpo"}, "another kind of training"),
        ({"reward_hash": "r"}, "another reward"),
    ],
)
def test_a_folder_made_from_anything_else_is_refused(
    changed: dict[str, str], words: str, tmp_path: Path
) -> None:
    folder = begun(tmp_path / "out")
    with pytest.raises(BadInput, match=words):
        folder.begin(STAMP.model_copy(update=changed))


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match="something else"):
        Folder(tmp_path).begin(STAMP)
    with pytest.raises(BadInput, match="holds no training"):
        Folder(tmp_path).stamp  # noqa: B018


def test_the_log_is_cut_to_the_checkpoint_and_survives_a_torn_line(tmp_path: Path) -> None:
    folder = begun(tmp_path / "out")
    for step in range(1, 6):
        folder.add({"step": step, "loss": 1 / step})
    with (folder.path / "log.jsonl").open("a") as file:
        file.write('{"step": 6, "lo')
    folder.cut_log(3)
    assert [line["step"] for line in folder.log()] == [1, 2, 3]
    folder.add({"step": 4, "loss": 0.1})
    assert [line["step"] for line in folder.log()] == [1, 2, 3, 4]


def test_only_whole_weights_can_be_served(tmp_path: Path) -> None:
    folder = begun(tmp_path / "out")
    with pytest.raises(BadInput, match="has not ended"):
        servable(folder.path)
    (folder.path / "adapter").mkdir()
    with pytest.raises(BadInput, match="adapters alone") as refused:
        servable(folder.path)
    assert "osler train merge" in refused.value.hint
    (folder.path / "merged").mkdir()
    (folder.path / "merged" / "config.json").write_text("{}")
    assert servable(folder.path) == folder.path / "merged" == servable(folder.path / "merged")
    with pytest.raises(BadInput, match="no model is there"):
        servable(tmp_path)


def test_the_report_shows_every_number_and_escapes_every_text(tmp_path: Path) -> None:
    folder = begun(tmp_path / "<b>out")
    for step in range(1, 2000):
        folder.add({"step": step, "loss": 5.0, "axis/<i>is1": 1.0, "said": "nothing"})
    folder.write("labels.json", [{"id": "r1", "prompt_end": "<script>", "learnt": ["<think_x>a</think_x>"]}])
    page = training_html([folder, folder])
    assert "Loss of each update" in page
    assert "Axis: &lt;i&gt;is1" in page
    assert "&lt;think_x&gt;a&lt;/think_x&gt;" in page
    assert "ended" in page
    assert "not yet" in page
    assert "<script" not in page
    assert "<i>" not in page
    assert not re.search(r"https?:|src=|href=", page)
    assert page == training_html([folder, folder])
    assert len(page) < 200_000, "thousands of updates are thinned"


def test_names_are_drawn_in_order_and_nothing_but_numbers() -> None:
    log = [{"step": 1, "norm": 2.0, "zeta": 1, "loss": 3.0, "ok": True, "why": "x", "huge": 10**400}]
    assert logged([log]) == ["loss", "norm", "zeta"]


def test_thinning_keeps_the_ends_and_the_mean() -> None:
    points = [(float(n), float(n % 2)) for n in range(10_001)]
    thin = thinned(points, 100)
    assert len(thin) <= 100
    assert (thin[0], thin[-1]) == (points[0], points[-1])
    assert all(abs(y - 0.5) < 0.02 for _, y in thin[1:-1])


def test_the_command_writes_the_report(tmp_path: Path) -> None:
    folder = begun(tmp_path / "out")
    folder.add({"step": 1, "loss": 5.0})
    folder.write("result.json", {"rows": 3, "left_out": {"over_long": 1}, "loss_first": 5.0})
    out = tmp_path / "report.html"
    done = CliRunner().invoke(app, ["train", "report", str(folder.path), "--out", str(out)])
    assert done.exit_code == 0, done.stderr
    assert "left out: over long" in out.read_text()
    refused = CliRunner().invoke(app, ["train", "report", str(tmp_path), "--out", str(out)])
    assert refused.exit_code == 1
    assert "holds no training" in refused.stderr
    assert json.loads((folder.path / "stamp.json").read_text())["kind"] == "sft"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("labels.json", '[{"id": 1, "learnt": 5}, {"learnt": ["said"]}]'),
        ("log.jsonl", "[" * 100_000 + '\n{"step": 1, "loss": 2}\n'),
    ],
)
def test_a_spoilt_file_of_a_training_makes_no_page_fail(tmp_path: Path, name: str, text: str) -> None:
    folder = begun(tmp_path / "t")
    (folder.path / name).write_text(text)
    assert ("said" if name == "labels.json" else "Loss of each update") in training_html([folder])


def test_a_result_that_is_none_is_refused(tmp_path: Path) -> None:
    folder = begun(tmp_path / "t")
    (folder.path / "result.json").write_text("[1]")
    with pytest.raises(BadInput, match="cannot be read"):
        training_html([folder])
