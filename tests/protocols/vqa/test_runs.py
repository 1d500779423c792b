"""`osler vqa`: baselines at their known levels, the blind twin, models, and what is refused."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.stats.intervals import wilson
from tests.endpoints import running
from tests.pictures.images import png
from tests.protocols.vqa.made_up import figures, medxpertqa, mmmu, paint, pmc_vqa, vqa, write

N = 12
Z99 = 2.5758293035489


def osler(*words: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


def value(*words: str | Path) -> Any:
    done = osler(*words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture
def made(tmp_path: Path) -> list[str | Path]:
    """A file of MedXpertQA with a picture each, and the options that read it."""
    rows = medxpertqa(N)
    return [write(tmp_path, rows), "--format", "medxpertqa", "--images", paint(tmp_path, rows)]


def text_only(tmp_path: Path, n: int, options: int = 5) -> list[str | Path]:
    return [write(tmp_path, medxpertqa(n, pictures=0, options=options)), "--format", "medxpertqa"]


def endpoint(folder: Path, url: str, *, eyes: bool = True) -> list[str | Path]:
    path = folder / "osler.toml"
    path.write_text(
        f'[endpoints.tiny]\nbase_url = "{url}"\nmodel = "tiny"\ntimeout_s = 5\n'
        f"[endpoints.tiny.capabilities]\nimages = {str(eyes).lower()}\n"
    )
    return ["--candidate", "model:tiny", "--config", path]


@pytest.mark.parametrize("form", ["medxpertqa", "mmmu", "pmc-vqa"])
def test_the_oracle_is_right_every_time(tmp_path: Path, form: str) -> None:
    rows, name = {
        "medxpertqa": (medxpertqa(9), "q.jsonl"),
        "mmmu": (mmmu(9), "q.jsonl"),
        "pmc-vqa": (pmc_vqa(9), "q.csv"),
    }[form]
    images = paint(tmp_path, rows)
    words = (write(tmp_path, rows, name), "--format", form, "--images", images, "--candidate", "oracle")
    found = figures(*words, "--rotations", "3", "--blind")
    for name in ("accuracy", "seeing", "blind", "same", "right_in_every_order"):
        assert (found["measures"][name]["value"], found["measures"][name]["n"]) == (1.0, found["episodes"])
    assert found["exchanges"] == 4 * found["episodes"]
    assert all(one["value"] == 1.0 for one in found["by_position"].values())


@pytest.mark.parametrize("options", [2, 10])
def test_by_chance_one_in_k_is_right(tmp_path: Path, options: int) -> None:
    rows = [
        {**row, "label": "AB"[at % 2]} for at, row in enumerate(medxpertqa(1000, pictures=0, options=options))
    ]
    found = figures(write(tmp_path, rows), "--format", "medxpertqa", "--candidate", "uniform")
    right = round(found["measures"]["accuracy"]["value"] * 1000)
    reach = wilson(right, 1000, quantile=Z99)
    assert reach.low is not None
    assert reach.high is not None
    assert reach.low <= 1 / options <= reach.high
    assert found["measures"]["chance"]["value"] == pytest.approx(1 / options)
    assert len(found["letters"]) == options
    assert sum(found["letters"].values()) == pytest.approx(1, abs=1e-5)


def test_always_the_first_is_right_as_often_as_the_right_one_is_shown_first(tmp_path: Path) -> None:
    rows = [{**row, "label": "A"} for row in medxpertqa(300, pictures=0)]
    found = figures(write(tmp_path, rows), "--format", "medxpertqa", "--candidate", "first")
    first = found["by_position"]["A"]
    assert found["measures"]["accuracy"]["value"] == pytest.approx(first["n"] / 300, abs=1e-6)
    assert first["value"] == 1.0
    assert all(one["value"] == 0.0 for letter, one in found["by_position"].items() if letter != "A")
    assert found["letters"] == {"A": 1.0}
    reach = wilson(first["n"], 300, quantile=Z99)
    assert reach.low is not None
    assert reach.high is not None
    assert reach.low <= 0.2 <= reach.high, "the file has them all at A; shown, they are spread"


def test_all_rotations_put_the_right_option_first_once(tmp_path: Path) -> None:
    found = figures(*text_only(tmp_path, 30), "--candidate", "first", "--rotations", "5")
    assert found["measures"]["accuracy"]["value"] == 0.2
    assert (found["episodes"], found["exchanges"], found["clusters"]) == (30, 150, 30)
    assert (found["measures"]["same"]["value"], found["measures"]["same"]["n"]) == (0.0, 30)


def test_options_that_refer_to_others_are_asked_in_one_order(tmp_path: Path) -> None:
    rows = [
        {**row, "options": {**row["options"], "E": "None of the above"}}
        for row in medxpertqa(4, pictures=0, listed=False)
    ]
    found = figures(write(tmp_path, rows), "--format", "medxpertqa", "--rotations", "4")
    assert found["exchanges"] == 4
    assert found["measures"]["same"]["n"] == 0


def test_subjects_each_with_interval_and_chance(tmp_path: Path) -> None:
    kinds = figures(*text_only(tmp_path, 30))["groups"]
    assert {name for name, parts in kinds.items() if parts} == {
        "medical_task",
        "body_system",
        "question_type",
    }
    assert set(kinds["body_system"]) == {"Cardiovascular", "Skeletal", "Nervous"}
    for one in kinds["medical_task"].values():
        assert one["chance"] == 0.2
        assert one["low"] <= one["value"] <= one["high"]


def test_open_questions_and_other_subjects_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = mmmu(9)
    done = vqa(write(tmp_path, rows), "--format", "mmmu", "--images", paint(tmp_path, rows), "--json")
    assert json.loads(done.stdout)["episodes"] == 6
    said = " ".join(done.stderr.split())
    assert "of 10 questions 4" in said
    assert "3 open questions; 1 of subjects outside health and medicine" in said


def test_the_blind_twin_is_asked_only_of_what_has_pictures(tmp_path: Path) -> None:
    rows = medxpertqa(8) + [{**row, "id": f"T-{row['id']}"} for row in medxpertqa(5, pictures=0)]
    images = paint(tmp_path, rows)
    found = figures(write(tmp_path, rows), "--format", "medxpertqa", "--images", images, "--blind")
    assert (found["episodes"], found["exchanges"]) == (13, 13 + 8)
    seeing, blind = (found["measures"][name] for name in ("seeing", "blind"))
    assert seeing["n"] == blind["n"] == found["blind_difference"]["n"] == 8
    assert found["blind_difference"]["value"] == pytest.approx(seeing["value"] - blind["value"])
    assert 0 < found["blind_difference"]["p"] <= 1


def test_two_players_are_compared_on_the_same_questions_and_the_oracle_is_not(tmp_path: Path) -> None:
    both = figures(*text_only(tmp_path, 40), "--candidate", "uniform,first,oracle")
    one, other, oracle = (run["run"] for run in both["runs"])
    gap = value("compare", one, other)["comparisons"][0]["difference"]
    mine, theirs = (run["measures"]["accuracy"]["value"] for run in both["runs"][:2])
    assert gap["n_pairs"] == 40
    assert gap["value"] == pytest.approx(theirs - mine, abs=1e-6)
    assert osler("compare", one, oracle).exit_code != 0


def test_a_missing_image_refuses_the_file_by_name_before_anything_is_kept(
    made: list[str | Path], tmp_path: Path
) -> None:
    (tmp_path / "images" / "MM-7-a.png").unlink()
    done = vqa(*made)
    assert done.exit_code == 1
    assert "row 8: its image is not in images: MM-7-a.png" in " ".join(done.stderr.split())
    assert value("runs")["runs"] == []
    assert figures(*made, "--skip-bad")["episodes"] == N - 1
    assert "--skip-bad" in vqa(*made, "--without-images").stderr


def test_bad_rows_are_named_by_number(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = medxpertqa(8, pictures=0)
    rows[2]["label"] = "Q"
    rows[5]["id"] = rows[1]["id"]
    done = vqa(write(tmp_path, rows), "--format", "medxpertqa")
    assert done.exit_code == 1
    said = " ".join(done.stderr.split())
    assert "row 3: label is 'Q'" in said
    assert "row 6: row 2 has the same id" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "vqarad"), "no format"),
        (("--format", "medxpertqa", "--candidate", "nobody"), "no candidate is called 'nobody'"),
        (("--format", "medxpertqa", "--temperature", "0"), "no model is under test"),
        (
            (
                "--format",
                "mmmu",
            ),
            "an object, not a list",
        ),
    ],
)
def test_wrong_use_is_said_in_words(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = vqa(text_only(tmp_path, 3)[0], *words)
    assert done.exit_code == 1
    assert said in " ".join(done.stderr.split())


def test_another_seed_gives_other_orders_and_the_same_the_same(tmp_path: Path) -> None:
    def orders(seed: str) -> list[Any]:
        run = figures(*text_only(tmp_path, 20), "--seed", seed)["run"]
        value("export", run, "--out", tmp_path / "out.jsonl")
        episodes = map(json.loads, (tmp_path / "out.jsonl").read_text("utf-8").splitlines()[1:])
        return [one["exchanges"][0]["events"][0]["order"] for one in episodes]

    assert orders("1") == orders("1") != orders("2")


# Models


def test_a_model_is_asked_once_for_each_question_and_read(made: list[str | Path], tmp_path: Path) -> None:
    script: list[dict[str, Any]] = [
        {"match": {"contains": "(3)"}, "reply": "A or B"},
        {"match": {"contains": "(4)"}, "reply": "Thinking of A.\n\nAnswer: B", "finish_reason": "length"},
        {"reply": "It may be A. On reflection not.\n\n**Answer: B**"},
    ]
    with running(script=script) as url:
        found = figures(*made, *endpoint(tmp_path, url))
    assert found["usage"]["candidate"]["tiny"]["calls"] == N
    assert found["measures"]["accuracy"]["n"] == N
    assert found["measures"]["unanswered"]["value"] == pytest.approx(2 / N, abs=1e-6)
    assert found["unanswered"] == {"several letters": 1, "truncated": 1}
    assert found["letters"] == {"B": 1.0}


def test_a_refused_request_is_a_fault_and_no_wrong_answer(made: list[str | Path], tmp_path: Path) -> None:
    script: list[dict[str, Any]] = [
        {"match": {"contains": "(3)"}, "status": 400, "reply": "this picture cannot be processed"},
        {"reply": "A"},
    ]
    with running(script=script) as url:
        found = figures(*made, *endpoint(tmp_path, url))
    assert (found["measures"]["accuracy"]["n"], found["measures"]["accuracy"]["unscored"]) == (N - 1, 1)
    right = round(found["measures"]["accuracy"]["value"] * (N - 1))
    assert found["headline_bounds"] == pytest.approx([right / N, (right + 1) / N], abs=1e-6)
    with running(script=[{"reply": "A"}]) as url:
        mended = value("resume", found["run"], "--retry-failed", *endpoint(tmp_path, url)[2:])
    assert (mended["measures"]["accuracy"]["n"], mended["ended"]) == (N, {"completed": N})


def test_refusals_of_the_model_itself_are_unanswered(made: list[str | Path], tmp_path: Path) -> None:
    with running(faults={"rate": 1.0, "kinds": {"refused": 1.0}}) as url:
        found = figures(*made, *endpoint(tmp_path, url))
    assert (found["measures"]["accuracy"]["value"], found["measures"]["unanswered"]["value"]) == (0.0, 1.0)
    assert set(found["unanswered"]) <= {"refused", "declined"}


def test_a_run_that_paused_goes_on_without_its_folder_of_images(
    made: list[str | Path], tmp_path: Path
) -> None:
    with running(script=[{"status": 400, "reply": "no pictures here"}]) as url:
        done = vqa(*made, *endpoint(tmp_path, url), "--json")
    assert done.exit_code == 3
    told = json.loads(done.stdout)
    assert (told["status"], told["done"], told["planned"]) == ("paused", 0, N)
    shutil.rmtree(tmp_path / "images")
    with running(script=[{"reply": "A"}]) as url:
        found = value("resume", told["run"], *endpoint(tmp_path, url)[2:])
    assert found["measures"]["accuracy"]["n"] == N


def test_pictures_inside_the_file_are_sent_and_kept_for_a_resumed_run(tmp_path: Path) -> None:
    rows = [
        {**row, **{f"image_{at}": {"bytes": base64.b64encode(png(at)).decode()} for at in (1, 2)}}
        for row in mmmu(5)
    ]
    words = (write(tmp_path, rows), "--format", "mmmu")
    with running(script=[{"match": {"contains": "picture 2"}, "reply": "Answer: B"}]) as url:
        done = vqa(*words, *endpoint(tmp_path, url), "--token-budget", "1500", "--json")
        assert done.exit_code == 3, done.output
        told = json.loads(done.stdout)
        found = value("resume", told["run"], "--token-budget", "100000", *endpoint(tmp_path, url)[2:])
    assert found["measures"]["accuracy"]["n"] == 4
    assert found["unanswered"] == {}


def test_a_model_without_eyes_is_not_asked_about_pictures(made: list[str | Path], tmp_path: Path) -> None:
    with running(script=[{"reply": "A"}]) as url:
        blind = endpoint(tmp_path, url, eyes=False)
        done = vqa(*made, *blind)
        assert done.exit_code == 1
        assert "not declared to see" in done.stderr
        assert "images = true" in done.stderr
        text = write(tmp_path, medxpertqa(4, pictures=0), "text.jsonl")
        assert figures(text, *made[1:], *blind)["measures"]["accuracy"]["n"] == 4
        mixed = write(tmp_path, [*medxpertqa(2, pictures=0), *medxpertqa(N)[4:]], "mixed.jsonl")
        done = vqa(mixed, *made[1:], *blind)
        assert done.exit_code == 3
        assert "not declared to see" in " ".join(done.stderr.split())
