"""`osler vqa`: baselines at their known levels, what is refused before anything is asked, and the output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osler.stats.intervals import wilson
from tests.vqa.made_up import figures, medxpertqa, mmmu, paint, pmc_vqa, vqa, write

Z99 = 2.5758293035489


@pytest.fixture
def made(tmp_path: Path) -> list[str | Path]:
    """A file of MedXpertQA with a picture each, and the options that read it."""
    rows = medxpertqa(40)
    return [write(tmp_path, rows), "--format", "medxpertqa", "--images", paint(tmp_path, rows)]


def text_only(tmp_path: Path, n: int, options: int = 5) -> list[str | Path]:
    return [write(tmp_path, medxpertqa(n, pictures=0, options=options)), "--format", "medxpertqa"]


@pytest.mark.parametrize("form", ["medxpertqa", "mmmu", "pmc-vqa"])
def test_the_oracle_is_right_every_time(tmp_path: Path, form: str) -> None:
    rows, name = {
        "medxpertqa": (medxpertqa(9), "q.jsonl"),
        "mmmu": (mmmu(9), "q.jsonl"),
        "pmc-vqa": (pmc_vqa(9), "q.csv"),
    }[form]
    images = paint(tmp_path, rows)
    words = (write(tmp_path, rows, name), "--format", form, "--images", images, "--model", "oracle")
    found = figures(*words, "--rotations", "3", "--blind")
    assert found["accuracy"]["value"] == 1.0
    assert found["accuracy"]["n"] == 3 * found["items"]["asked"]
    assert found["blind"]["value"] == 1.0
    assert found["consistency"]["same"]["value"] == found["consistency"]["right"]["value"] == 1.0
    assert all(one["value"] == 1.0 for one in found["by_position"].values())


@pytest.mark.parametrize("options", [2, 5, 10])
def test_by_chance_one_in_k_is_right(tmp_path: Path, options: int) -> None:
    rows = [
        {**row, "label": "AB"[at % 2]} for at, row in enumerate(medxpertqa(3000, pictures=0, options=options))
    ]
    found = figures(write(tmp_path, rows), "--format", "medxpertqa", "--model", "uniform")
    right = round(found["accuracy"]["value"] * 3000)
    reach = wilson(right, 3000, quantile=Z99)
    assert reach.low is not None
    assert reach.high is not None
    assert reach.low <= 1 / options <= reach.high
    assert found["chance"] == pytest.approx(1 / options)
    shares = found["letters"]
    assert len(shares) == options
    assert sum(shares.values()) == pytest.approx(1, abs=1e-5)


def test_always_the_first_is_right_as_often_as_the_right_one_is_shown_first(tmp_path: Path) -> None:
    rows = [{**row, "label": "A"} for row in medxpertqa(600, pictures=0)]
    words = (write(tmp_path, rows), "--format", "medxpertqa", "--model", "first")
    found = figures(*words)
    first = found["by_position"]["A"]
    assert found["accuracy"]["value"] == pytest.approx(first["n"] / 600)
    assert first["value"] == 1.0
    assert all(one["value"] == 0.0 for letter, one in found["by_position"].items() if letter != "A")
    assert found["letters"] == {"A": 1.0}
    low, high = wilson(first["n"], 600, quantile=Z99).low, wilson(first["n"], 600, quantile=Z99).high
    assert low is not None
    assert high is not None
    assert low <= 0.2 <= high, "the file has them all at A; shown, they are spread"


def test_all_rotations_put_the_right_option_first_once(tmp_path: Path) -> None:
    found = figures(*text_only(tmp_path, 50), "--model", "first", "--rotations", "5")
    assert found["accuracy"]["value"] == 0.2
    assert found["accuracy"]["n"] == 250
    assert found["consistency"]["same"] == {**found["consistency"]["same"], "value": 0.0, "n": 50}


def test_options_that_refer_to_others_are_asked_in_one_order(tmp_path: Path) -> None:
    rows = [
        {**row, "options": {**row["options"], "E": "None of the above"}}
        for row in medxpertqa(4, pictures=0, listed=False)
    ]
    found = figures(write(tmp_path, rows), "--format", "medxpertqa", "--model", "uniform", "--rotations", "4")
    assert found["items"]["kept_in_order"] == 4
    assert found["items"]["questions"] == 4


def test_subjects_each_with_interval_and_chance(tmp_path: Path) -> None:
    found = figures(*text_only(tmp_path, 30), "--model", "uniform")
    kinds = found["by_subject"]
    assert set(kinds) == {"medical_task", "body_system", "question_type"}
    assert sum(one["n"] for one in kinds["body_system"].values()) == 30
    for one in kinds["medical_task"].values():
        assert one["low"] <= one["value"] <= one["high"]
        assert one["chance"] == 0.2


def test_open_questions_and_other_subjects_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = mmmu(9)
    images = paint(tmp_path, rows)
    found = figures(write(tmp_path, rows), "--format", "mmmu", "--images", images, "--model", "uniform")
    assert found["items"]["asked"] == 6
    assert sorted(found["items"]["left_out"].values()) == [1, 3]


def test_the_blind_arm_asks_only_what_has_pictures(tmp_path: Path) -> None:
    rows = medxpertqa(8) + [{**row, "id": f"T-{row['id']}"} for row in medxpertqa(5, pictures=0)]
    images = paint(tmp_path, rows)
    found = figures(
        write(tmp_path, rows), "--format", "medxpertqa", "--images", images, "--model", "uniform", "--blind"
    )
    assert found["items"]["questions"] == 13 + 8
    assert found["blind"]["n"] == found["blind"]["seeing"]["n"] == 8
    assert found["blind"]["difference"]["n"] == 8
    assert found["accuracy"]["n"] == 13


def test_without_any_picture_there_is_no_blind_arm(tmp_path: Path) -> None:
    done = vqa(*text_only(tmp_path, 3), "--model", "uniform", "--blind")
    assert done.exit_code == 1
    assert "no item has a picture" in done.stderr


def test_two_players_are_paired(tmp_path: Path) -> None:
    words = [*text_only(tmp_path, 60), "--out", tmp_path / "kept"]
    both = figures(*words, "--model", "uniform", "--against", "first")
    gap = both["against"]["difference"]
    mine, theirs = both["accuracy"]["value"], both["against"]["accuracy"]["value"]
    assert gap["value"] == pytest.approx(mine - theirs, abs=1e-6)
    assert gap["low"] <= gap["value"] <= gap["high"]
    assert gap["n"] == 60
    stored = figures(*words, "--model", "uniform", "--against", tmp_path / "kept" / "first.jsonl")
    assert stored["against"] == both["against"]


def test_stored_answers_without_a_blind_arm_have_no_blind_figures(
    made: list[str | Path], tmp_path: Path
) -> None:
    figures(*made, "--model", "first", "--out", tmp_path / "kept")
    kept = tmp_path / "kept" / "first.jsonl"
    found = figures(*made, "--model", "uniform", "--blind", "--against", kept)
    assert found["blind"]["n"] == 40
    assert found["against"]["blind"] == {}


def test_the_oracle_is_not_compared(tmp_path: Path) -> None:
    words = text_only(tmp_path, 4)
    for pair in (("oracle", "first"), ("first", "oracle")):
        done = vqa(*words, "--model", pair[0], "--against", pair[1])
        assert done.exit_code == 1
        assert "given the answers" in done.stderr
    assert vqa(*words, "--model", "oracle", "--out", tmp_path / "o").exit_code == 0
    done = vqa(*words, "--model", "first", "--against", tmp_path / "o" / "oracle.jsonl")
    assert done.exit_code == 1
    assert vqa(*words, "--model", "first", "--against", "first").exit_code == 1


def test_answers_to_other_questions_are_not_compared(tmp_path: Path) -> None:
    assert vqa(*text_only(tmp_path, 4), "--model", "first", "--out", tmp_path / "o").exit_code == 0
    kept = tmp_path / "o" / "first.jsonl"
    done = vqa(*text_only(tmp_path, 5), "--model", "uniform", "--against", kept)
    assert done.exit_code == 1
    assert "file of questions has changed" in done.stderr
    words = [*text_only(tmp_path, 4), "--model", "uniform", "--against", kept]
    assert (
        vqa(*text_only(tmp_path, 4), "--model", "longest", "--limit", "2", "--out", tmp_path / "o").exit_code
        == 0
    )
    few = [*text_only(tmp_path, 4), "--model", "uniform", "--against", tmp_path / "o" / "longest.jsonl"]
    assert "answers to 2 of 4 items" in vqa(*few).stderr
    assert figures(*few, "--limit", "2")["against"]["difference"]["n"] == 2
    assert "--seed was 0 and is 3" in vqa(*words, "--seed", "3").stderr
    assert vqa(*words).exit_code == 0


def test_a_missing_image_refuses_the_file_by_name_before_anything_is_kept(
    made: list[str | Path], tmp_path: Path
) -> None:
    (tmp_path / "images" / "MM-7-a.png").unlink()
    done = vqa(*made, "--model", "uniform", "--out", tmp_path / "kept")
    assert done.exit_code == 1
    assert "row 8: its image is not in images: MM-7-a.png" in done.stderr
    assert "--images DIR" in done.stderr
    assert len((tmp_path / "kept" / "uniform.jsonl").read_text().splitlines()) == 1, "nothing was asked"
    found = figures(*made, "--model", "uniform", "--skip-bad")
    assert found["items"]["asked"] == 39
    assert found["items"]["left_out"] == {"cannot be used": 1}


def test_without_a_folder_of_images_the_hint_says_so(made: list[str | Path]) -> None:
    done = vqa(*made[:3], "--model", "uniform")
    assert done.exit_code == 1
    assert "not at hand: MM-0-a.png" in done.stderr
    assert "--images DIR" in done.stderr


def test_bad_rows_are_named_by_number(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = medxpertqa(8, pictures=0)
    rows[2]["label"] = "Q"
    rows[5]["id"] = rows[1]["id"]
    done = vqa(write(tmp_path, rows), "--format", "medxpertqa", "--model", "uniform")
    assert done.exit_code == 1
    assert "questions.jsonl: row 3: label is 'Q'" in done.stderr
    assert "row 6: another row has the same id" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "vqarad", "--model", "uniform"), "no format"),
        (("--format", "medxpertqa", "--model", "nobody"), "no endpoint 'nobody'"),
        (("--format", "medxpertqa", "--model", "model:uniform"), "no endpoint 'uniform'"),
        (("--format", "medxpertqa", "--model", "uniform", "--temperature", "0"), "no model is under test"),
        (("--format", "mmmu", "--model", "uniform"), "an object, not a list"),
    ],
)
def test_wrong_use_is_said_in_words(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = vqa(text_only(tmp_path, 3)[0], *words)
    assert done.exit_code == 1
    assert said in done.stderr


def test_the_same_seed_gives_the_same_bytes_and_another_other_orders(tmp_path: Path) -> None:
    words = [*text_only(tmp_path, 20), "--model", "uniform"]
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert vqa(*words, "--seed", seed, "--out", tmp_path / name).exit_code == 0
    a, b, c = ((tmp_path / name / "uniform.jsonl").read_bytes() for name in "abc")
    assert a == b != c


def test_the_table_has_interval_counts_and_chance(tmp_path: Path) -> None:
    shown = vqa(*text_only(tmp_path, 30), "--model", "uniform").stdout
    for word in (
        "95 % interval",
        "unanswered",
        "faults",
        "chance",
        "body system",
        "20.0%",
        "not language models",
    ):
        assert word in shown


def test_limit_takes_the_first_items(tmp_path: Path) -> None:
    words = [*text_only(tmp_path, 30), "--model", "uniform", "--out", tmp_path / "kept"]
    assert figures(*words, "--limit", "7")["accuracy"]["n"] == 7
    whole = figures(*words)
    assert whole["accuracy"]["n"] == 30
    assert figures(*words, "--limit", "7")["accuracy"]["n"] == 7
    assert json.dumps(figures(*words)) == json.dumps(whole)
